package dev.sluice.bench.scenario;

import dev.sluice.JobState;
import dev.sluice.bench.server.CpuClock;
import dev.sluice.bench.server.FunctionTimer;
import dev.sluice.bench.server.Venue;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * A setting set up in a place of its own, whose workers have run jobs before they are measured.
 *
 * <p>A round begins with a batch to warm up. It is submitted first, then the server settles, then
 * the workers sign on: so the server's statistics, and the plans that are made from them, are those
 * of a table with jobs in it. Then batch after batch is submitted while the queue is paused, and
 * timed when the queue is resumed, until enough time was measured. At the end the store's own
 * counts must agree that every job has succeeded, or the run fails.
 */
final class WarmStage implements Stage {
  /** Of the time of a round, so much is enough for the means of a profile. */
  private static final double PROFILE_SHARE = 0.4;

  private final Setting setting;
  private final Plan plan;
  private final Venue venue;
  private final String measuredUrl;
  private final Intake intake;
  private final Circumstance.Undo amid;
  private final BatchClock clock = new BatchClock();
  private Team team;

  /** Sets a setting up, limits and circumstances included; the venue is closed with it. */
  WarmStage(Setting setting, Plan plan, Venue venue) throws InterruptedException {
    this.setting = setting;
    this.plan = plan;
    this.venue = venue;
    String url = venue.url();
    measuredUrl = MeasuredStoreProvider.measured(url);
    intake = new Intake(url);
    team = new Team(measuredUrl, setting);
    // Workers declare the limits, and a store learns them best before there are jobs.
    team.start(clock).close();
    amid = setting.amid().arrange(intake.sluice(), url);
  }

  @Override
  public Round measure() throws InterruptedException {
    return measure(plan.leastNanos());
  }

  private void warmUp() throws InterruptedException {
    Setting warmUp = setting.warmUp();
    Stopwatch stopwatch = clock.next(warmUp);
    intake.submit(warmUp);
    try (Team.Shift shift = team.start(clock)) {
      run(stopwatch);
    }
  }

  private Round measure(long leastNanos) throws InterruptedException {
    Map<JobState, Long> before = intake.clear();
    Setting warmUp = setting.warmUp();
    Stopwatch first = clock.next(warmUp);
    intake.submit(warmUp);
    venue.settle();
    Exchanges exchanges = MeasuredStoreProvider.exchanges(measuredUrl);
    Tally tally = new Tally();
    try (Team.Shift shift = team.start(clock)) {
      run(first);
      exchanges.drain();
      do {
        // Before the submit: a claim that was under way when the queue was paused may start jobs.
        Stopwatch stopwatch = clock.next(setting);
        tally.submitted(setting.jobs(), intake.submit(setting));
        Optional<CpuClock.Count> cpu = venue.serverCpu().map(CpuClock::start);
        Batch batch = run(stopwatch);
        tally.ran(batch, cpu.map(count -> count.stop(setting.jobs())));
      } while (tally.nanos() < leastNanos);
    }
    intake.requireSucceeded(setting, before, tally.submitted() + warmUp.jobs());
    return tally.round(exchanges);
  }

  /** What a new connection's first calls cost, when it makes its plans, does not count. */
  @Override
  public Profile profile() throws InterruptedException {
    team.close();
    Optional<FunctionTimer> timing = venue.startTimer();
    if (timing.isEmpty()) {
      return new Profile(Map.of(), Heap.usedMegabytes());
    }
    FunctionTimer timer = timing.get();
    team = new Team(measuredUrl, setting);
    warmUp();
    TimeUnit.NANOSECONDS.sleep(FunctionTimer.REPORT_INTERVAL);
    warmUp();
    timer.forget();
    measure(Math.round(plan.leastNanos() * PROFILE_SHARE));
    double heap = Heap.usedMegabytes();
    team.close();
    return new Profile(timer.stop(), heap);
  }

  private Batch run(Stopwatch stopwatch) throws InterruptedException {
    intake.resume();
    return stopwatch.await();
  }

  @Override
  public void close() {
    amid.close();
    team.close();
    intake.close();
    venue.close();
  }
}
