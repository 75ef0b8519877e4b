package dev.sluice.bench.scenario;

import dev.sluice.Task;
import dev.sluice.bench.report.Ratio.Goal;
import java.util.List;

/** Every scenario, in the order to run them. */
public final class Scenarios {
  private static final int BATCH = 10_000;

  private Scenarios() {}

  /** All of them. */
  public static List<Scenario> all() {
    return List.of(baseline(), enabled());
  }

  private static Scenario baseline() {
    return ThroughputScenario.of(
        "concurrency-baseline",
        "Jobs that do nothing, without any limit, on four workers.",
        unlimited());
  }

  private static Scenario enabled() {
    return ThroughputScenario.of(
            "concurrency-enabled",
            "The same jobs, all of a task that is limited to 10.",
            unlimited(),
            Setting.of("limit 10", Lot.of(task("limited").maxConcurrent(10).build(), BATCH)))
        .goal(Goal.atLeast(0.85, 0.95));
  }

  private static Setting unlimited() {
    return Setting.of("no limit", Lot.of(task("plain").build(), BATCH));
  }

  private static Task.Builder<Integer> task(String name) {
    return Task.named(name, Integer.class);
  }
}
