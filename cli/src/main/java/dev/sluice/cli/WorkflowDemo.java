package dev.sluice.cli;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.Sluice;
import dev.sluice.SubmitOptions;
import dev.sluice.Task;
import dev.sluice.Worker;
import dev.sluice.workflow.OnFailure;
import dev.sluice.workflow.Refs;
import dev.sluice.workflow.RunState;
import dev.sluice.workflow.StepDefinition;
import dev.sluice.workflow.WorkflowDefinition;
import dev.sluice.workflow.WorkflowRun;
import dev.sluice.workflow.Workflows;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/** Runs a workflow and shows it while it goes on, with the most that was in flight at once. */
final class WorkflowDemo {
  private static final int PARCELS = 40;
  private static final int CAP = 4;
  private static final Duration LOOK = Duration.ofMillis(500);
  private static final String TASK = "demo_parcel";

  private final SluiceCommand root;
  private final Sluice sluice;
  private final AtomicInteger running = new AtomicInteger();
  private final AtomicInteger peak = new AtomicInteger();

  WorkflowDemo(SluiceCommand root, Sluice sluice) {
    this.root = root;
    this.sluice = sluice;
  }

  private static WorkflowDefinition definition() {
    return WorkflowDefinition.named("demo_delivery")
        .maxConcurrentSteps(CAP)
        .step(StepDefinition.named("take_order").task(TASK).compensateWith(TASK))
        .step(
            StepDefinition.named("pack")
                .task(TASK)
                .dependsOn("take_order")
                .over(Refs.input("/parcels")))
        .step(
            StepDefinition.named("approval")
                .signal("approved", Duration.ofMinutes(10))
                .dependsOn("take_order"))
        .step(StepDefinition.named("cool_down").sleep(Duration.ofSeconds(2)).dependsOn("pack"))
        .step(
            StepDefinition.named("ship")
                .task(TASK)
                .dependsOn("cool_down", "approval")
                .onFailure(OnFailure.COMPENSATE))
        .output(Refs.result("ship"))
        .build();
  }

  int run() throws InterruptedException {
    StopSignal stop = StopSignal.install();
    Task<JsonNode> task = Task.named(TASK, JsonNode.class).build();
    try (Workflows workflows = Workflows.on(sluice).define(definition());
        Worker worker =
            workflows
                .serve(sluice.worker().queues(SubmitOptions.DEFAULT_QUEUE))
                .handleReturning(task, (parcel, context) -> handle())
                .start()) {
      UUID run =
          workflows.start(
              "demo_delivery", Map.of("parcels", IntStream.range(0, PARCELS).boxed().toList()));
      RunSheet sheet = new RunSheet(root.console().style(), root.times());
      WorkflowRun now = workflows.describe(run).orElseThrow();
      boolean stopped = false;
      while (!now.state().finished() && !stopped) {
        sheet.lines(now).forEach(root::remark);
        root.remark("");
        if (isPackedButNotApproved(now)) {
          root.remark("Sending the signal 'approved', as 'sluice workflow signal' would.");
          workflows.signal(run, "approved", true);
        }
        stopped = stop.await(LOOK);
        now = workflows.describe(run).orElseThrow();
      }
      if (stopped) {
        workflows.cancel(run);
      }
      return summary(sheet, now);
    }
  }

  private static boolean isPackedButNotApproved(WorkflowRun run) {
    return run.state() == RunState.WAITING_SIGNAL;
  }

  private String handle() throws InterruptedException {
    peak.accumulateAndGet(running.incrementAndGet(), Math::max);
    try {
      Thread.sleep(ThreadLocalRandom.current().nextInt(100, 400));
      return "done";
    } finally {
      running.decrementAndGet();
    }
  }

  private int summary(RunSheet sheet, WorkflowRun run) {
    boolean held = peak.get() <= CAP;
    if (root.json()) {
      Map<String, Object> map = new LinkedHashMap<>(RunSheet.full(run));
      map.put("peak", peak.get());
      map.put("cap_held", held);
      root.sayJson(map);
    } else {
      sheet.lines(run).forEach(root::say);
      root.say(
          "At most %d steps ran at once; the cap is %d. %s"
              .formatted(peak.get(), CAP, held ? "It held." : "It was exceeded."));
    }
    return held && run.state() == RunState.SUCCEEDED ? ExitCode.OK : ExitCode.NEGATIVE;
  }
}
