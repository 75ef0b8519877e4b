package dev.sluice.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Sluice;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.List;
import java.util.UUID;
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
}
