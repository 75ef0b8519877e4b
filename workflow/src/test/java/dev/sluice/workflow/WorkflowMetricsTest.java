package dev.sluice.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Sluice;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class WorkflowMetricsTest {
  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

  private double gauge(String name, String... tags) {
    return registry.get(name).tags(tags).gauge().value();
  }

  @Test
  void figures_areThoseOfTheRuns() {
    WorkflowDefinition wide =
        WorkflowDefinition.named("wide")
            .maxConcurrentSteps(3)
            .step(StepDefinition.named("each").task("t").over(Refs.input("")))
            .step(StepDefinition.named("alone").task("t").priority(1))
            .step(StepDefinition.named("wait").signal("go"))
            .step(StepDefinition.named("after").task("t").dependsOn("each"))
            .build();
    try (Sluice sluice = Sluice.open("memory:" + UUID.randomUUID());
        Workflows workflows = Workflows.on(sluice);
        WorkflowMetrics metrics = WorkflowMetrics.bind(workflows, registry)) {
      List<Integer> elements = IntStream.range(0, 20).boxed().toList();
      UUID gone = workflows.start(wide, elements);
      workflows.start(wide, elements);
      workflows.cancel(gone);
      metrics.refresh();

      assertThat(gauge("sluice.workflow.runs", "type", "wide", "state", "running")).isEqualTo(1);
      assertThat(gauge("sluice.workflow.runs", "type", "wide", "state", "cancelled")).isEqualTo(1);
      assertThat(gauge("sluice.workflow.steps.in.flight", "type", "wide")).isEqualTo(3);
      assertThat(gauge("sluice.workflow.steps.deferred", "type", "wide")).isEqualTo(18);
      assertThat(registry.get("sluice.workflow.steps.started").counter().count())
          .as("three of each run, and two that wait")
          .isEqualTo(8);
      assertThat(registry.get("sluice.workflow.tick").timer().count()).isGreaterThanOrEqualTo(3);
    }
  }

  @Test
  void refresh_whileFiguresAreRead_eachIsThereOnce() throws Exception {
    WorkflowDefinition one =
        WorkflowDefinition.named("one").step(StepDefinition.named("wait").signal("go")).build();
    try (Sluice sluice = Sluice.open("memory:" + UUID.randomUUID());
        Workflows workflows = Workflows.on(sluice);
        WorkflowMetrics metrics = WorkflowMetrics.bind(workflows, registry)) {
      workflows.start(one, null);
      metrics.refresh();
      AtomicBoolean done = new AtomicBoolean();
      CompletableFuture<Void> refreshing =
          CompletableFuture.runAsync(
              () -> {
                while (!done.get()) {
                  metrics.refresh();
                }
              });
      try {
        for (int i = 0; i < 200_000; i++) {
          assertThat(registry.find("sluice.workflow.runs").gauges()).hasSize(1);
        }
      } finally {
        done.set(true);
        refreshing.get();
      }
    }
    assertThat(registry.find("sluice.workflow.runs").gauges()).as("after close").isEmpty();
  }
}
