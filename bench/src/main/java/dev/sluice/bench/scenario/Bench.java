package dev.sluice.bench.scenario;

import dev.sluice.bench.server.BenchServer;

/**
 * What scenarios are run with.
 *
 * @param server where
 * @param plan how thoroughly
 * @param progress who is told how far it is
 */
public record Bench(BenchServer server, Plan plan, Progress progress) {
  /** Has this process and the server run through everything once before something is timed. */
  public void warmUp() throws InterruptedException {
    try (Stage stage = open(Scenarios.limited(plan.jobs(Scenarios.BATCH)))) {
      stage.measure();
    }
  }

  Stage open(Setting setting) throws InterruptedException {
    return Stage.open(server, setting, plan);
  }
}
