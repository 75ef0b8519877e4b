package dev.sluice.bench.scenario;

import dev.sluice.bench.report.Figure;
import dev.sluice.bench.report.Ratio;
import dev.sluice.bench.report.Ratio.Goal;
import dev.sluice.bench.report.Section;
import dev.sluice.bench.server.DirectoryVenue;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Measures throughput in a directory: four workers with a store each, as four processes have it,
 * and four that share one.
 */
record ObjectFileScenario() implements Scenario {
  private static final Goal THROUGHPUT = Goal.atLeast(5_000, 10_000);
  private static final Goal LIMITED = Goal.atLeast(0.85, 0.95);

  @Override
  public String name() {
    return "object-file";
  }

  @Override
  public String family() {
    return name();
  }

  @Override
  public String summary() {
    return "Jobs that do nothing on a store in a directory, every write synced: without a limit and"
        + " limited to 10.";
  }

  @Override
  public boolean onPostgres() {
    return false;
  }

  /** Has this process run through everything once; which file system that was on. */
  private static String warmUp(Bench bench, Setting setting) throws InterruptedException {
    DirectoryVenue venue = DirectoryVenue.create();
    try (Stage stage = new WarmStage(setting, bench.plan(), venue)) {
      stage.measure();
      return venue.fileSystem();
    }
  }

  @Override
  public Section run(Bench bench) throws InterruptedException {
    int batch = bench.plan().jobs(Scenarios.BATCH);
    List<Setting> settings =
        List.of(
            Scenarios.unlimited(batch),
            Scenarios.limited(batch),
            Scenarios.unlimited(batch).together().named("no limit, one store"),
            Scenarios.limited(batch).together().named("limit 10, one store"));
    String fileSystem = warmUp(bench, settings.get(0));
    List<Measured> measured =
        Rounds.measure(
            bench,
            name(),
            settings,
            setting -> new WarmStage(setting, bench.plan(), DirectoryVenue.create()));
    List<Ratio> ratios = new ArrayList<>();
    for (int base = 0; base < measured.size(); base += 2) {
      Measured free = measured.get(base);
      Measured limited = measured.get(base + 1);
      Figure jobs = free.figure("jobs/s", Round::jobsPerSecond);
      ratios.add(new Ratio("jobs/s, " + free.setting().name(), jobs, Optional.of(THROUGHPUT)));
      ratios.add(
          new Ratio(
              "%s vs %s".formatted(limited.setting().name(), free.setting().name()),
              limited.against(free, Round::jobsPerSecond),
              Optional.of(LIMITED)));
    }
    return new Section(
        name(),
        summary(),
        measured.stream().map(Measured::subject).toList(),
        ratios,
        List.of(),
        List.of(
            "The directory was on %s; every object is synced before it is acknowledged."
                .formatted(fileSystem),
            "One store: the workers are in one process and share its commits. Otherwise each has a"
                + " store of its own, as workers in four processes have it."));
  }
}
