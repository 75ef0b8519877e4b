package dev.sluice.bench.scenario;

import dev.sluice.JobState;
import dev.sluice.bench.server.CpuClock;
import dev.sluice.bench.server.FunctionTimer;
import dev.sluice.bench.server.Venue;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * A setting whose jobs are there before its workers. Every batch has a new store, which has never
 * heard of a limit: the jobs are submitted, the server settles, then the workers start and declare
 * their limits while the first jobs run. What the server spends on that counts.
 */
final class ColdStage implements Stage {
  private final Setting setting;
  private final Plan plan;
  private final Supplier<? extends Venue> venues;
  private final BatchClock clock = new BatchClock();

  /**
   * @param venues makes the place of a batch
   */
  ColdStage(Setting setting, Plan plan, Supplier<? extends Venue> venues) {
    this.setting = setting;
    this.plan = plan;
    this.venues = venues;
  }

  @Override
  public Round measure() throws InterruptedException {
    Tally tally = new Tally();
    Exchanges exchanges;
    do {
      try (Venue venue = venues.get()) {
        exchanges = run(venue, tally);
      }
    } while (tally.nanos() < plan.leastNanos());
    return tally.round(exchanges);
  }

  /** What the first calls of the workers' connections cost, when they make their plans, counts. */
  @Override
  public Profile profile() throws InterruptedException {
    try (Venue venue = venues.get()) {
      Optional<FunctionTimer> timer = venue.startTimer();
      run(venue, new Tally()).drain();
      double heap = Heap.usedMegabytes();
      return new Profile(timer.isPresent() ? timer.get().stop() : Map.of(), heap);
    }
  }

  /** Runs a batch; returns the exchanges of all batches at a place of this URL. */
  private Exchanges run(Venue venue, Tally tally) throws InterruptedException {
    String url = venue.url();
    String measuredUrl = MeasuredStoreProvider.measured(url);
    try (Intake intake = new Intake(url);
        Circumstance.Undo amid = setting.amid().arrange(intake.sluice(), url);
        Team team = new Team(measuredUrl, setting)) {
      Map<JobState, Long> before = intake.clear();
      tally.submitted(setting.jobs(), intake.submit(setting));
      intake.resume();
      venue.settle();
      Stopwatch stopwatch = clock.next(setting);
      Optional<CpuClock.Count> cpu = venue.serverCpu().map(CpuClock::start);
      try (Team.Shift shift = team.start(clock)) {
        Batch batch = stopwatch.await();
        tally.ran(batch, cpu.map(count -> count.stop(setting.jobs())));
      }
      intake.requireSucceeded(setting, before, setting.jobs());
    }
    return MeasuredStoreProvider.exchanges(measuredUrl);
  }

  @Override
  public void close() {
    // Nothing is open between batches.
  }
}
