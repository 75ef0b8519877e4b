package dev.sluice.bench.scenario;

import dev.sluice.bench.server.BenchServer;
import java.util.Optional;

/**
 * What scenarios are run with.
 *
 * @param postgres where; empty if no scenario needs a database
 * @param plan how thoroughly
 * @param progress who is told how far it is
 */
public record Bench(Optional<BenchServer> postgres, Plan plan, Progress progress) {
  /** The database server. */
  public BenchServer server() {
    return postgres.orElseThrow(() -> new IllegalStateException("a scenario without its server"));
  }

  /** Has this process and the server run through everything once before something is timed. */
  public void warmUp() throws InterruptedException {
    try (Stage stage = onPostgres(Scenarios.limited(plan.jobs(Scenarios.BATCH)))) {
      stage.measure();
    }
  }

  /** A setting in a database of its own, or in a new one for every batch if jobs come first. */
  Stage onPostgres(Setting setting) throws InterruptedException {
    String name = "sluice_bench_" + setting.name().replaceAll("[^a-z0-9]+", "_");
    return setting.jobsFirst()
        ? new ColdStage(setting, plan, () -> server().createDatabase(name))
        : new WarmStage(setting, plan, server().createDatabase(name));
  }
}
