package dev.sluice.bench.scenario;

import dev.sluice.JobState;
import dev.sluice.Sluice;
import dev.sluice.SubmitOptions;
import dev.sluice.bench.server.FunctionTimer;
import dev.sluice.bench.server.Venue;
import dev.sluice.spi.JobStore;
import dev.sluice.spi.NewJob;
import dev.sluice.spi.StoreProviders;
import dev.sluice.spi.StoreSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * A setting set up in a place of its own, ready to be measured again and again.
 *
 * <p>A round begins with a batch to warm up. It is submitted first, then the server settles, then
 * the workers sign on: so the server's statistics, and the plans that are made from them, are those
 * of a table with jobs in it. Then batch after batch is submitted while the queue is paused, and
 * timed when the queue is resumed, until enough time was measured. At the end the store's own
 * counts must agree that every job has succeeded, or the run fails.
 */
final class Stage implements AutoCloseable {
  private static final String QUEUE = SubmitOptions.DEFAULT_QUEUE;

  private static final StoreSettings STORE = new StoreSettings("sluice", 4);

  /** Of several tasks, so many jobs stand in line before the next one's turn. */
  private static final int MIXED_BY = 10;

  /** As the API does it for jobs of one task. */
  private static final int SUBMITTED_AT_ONCE = 1_000;

  /** Of the time of a round, so much is enough for the means of a profile. */
  private static final double PROFILE_SHARE = 0.4;

  private final Setting setting;
  private final Plan plan;
  private final Venue venue;
  private final String measuredUrl;
  private final Sluice sluice;
  private final JobStore store;
  private final Circumstance.Undo amid;
  private final BatchClock clock = new BatchClock();
  private Team team;

  /** Sets a setting up, limits and circumstances included; the venue is closed with it. */
  Stage(Setting setting, Plan plan, Venue venue) throws InterruptedException {
    this.setting = setting;
    this.plan = plan;
    this.venue = venue;
    String url = venue.url();
    measuredUrl = MeasuredStoreProvider.measured(url);
    sluice = Sluice.open(url);
    store = StoreProviders.open(url, STORE);
    team = new Team(measuredUrl, setting);
    // Workers declare the limits, and a store learns them best before there are jobs.
    team.start(clock).close();
    amid = setting.amid().arrange(sluice, url);
  }

  /** Measures a round. */
  Round measure() throws InterruptedException {
    return measure(plan.leastNanos());
  }

  private void warmUp() throws InterruptedException {
    Setting warmUp = setting.warmUp();
    Stopwatch stopwatch = clock.next(warmUp);
    submit(warmUp);
    try (Team.Shift shift = team.start(clock)) {
      run(stopwatch);
    }
  }

  private Round measure(long leastNanos) throws InterruptedException {
    sluice.jobs().purge(Duration.ZERO);
    Map<JobState, Long> before = Counts.await(sluice, Counts::nothingFinished);
    Setting warmUp = setting.warmUp();
    Stopwatch first = clock.next(warmUp);
    submit(warmUp);
    venue.settle();
    Exchanges exchanges = MeasuredStoreProvider.exchanges(measuredUrl);
    Batch total = Batch.NONE;
    long submitted = 0;
    long submitNanos = 0;
    try (Team.Shift shift = team.start(clock)) {
      run(first);
      exchanges.drain();
      do {
        // Before the submit: a claim that was under way when the queue was paused may start jobs.
        Stopwatch stopwatch = clock.next(setting);
        submitNanos += submit(setting);
        submitted += setting.jobs();
        total = total.plus(run(stopwatch));
      } while (total.nanos() < leastNanos);
    }
    requireSucceeded(before, submitted + warmUp.jobs());
    return new Round(
        total,
        submitted,
        submitNanos,
        exchanges.claiming().drain(),
        exchanges.completing().drain());
  }

  /**
   * Has a last, shorter round timed on the server too, which costs some throughput. What a new
   * connection's first calls cost, when it makes its plans, does not count. Where no server can do
   * that, it says what the process keeps in memory.
   */
  Profile profile() throws InterruptedException {
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

  /**
   * What was seen with the server's clocks at work.
   *
   * @param functions milliseconds per call of the store's SQL functions, by the server's own count
   * @param heapMegabytes what the process kept in memory at the end
   */
  record Profile(Map<String, Double> functions, double heapMegabytes) {}

  /** Submits a batch that nobody starts yet, and says how long that took. */
  private long submit(Setting batch) {
    sluice.queues().pause(QUEUE);
    int most = batch.lots().stream().mapToInt(Lot::jobs).max().orElseThrow();
    List<NewJob> jobs = new ArrayList<>();
    long began = System.nanoTime();
    for (int from = 0; from < most; from += MIXED_BY) {
      for (Lot lot : batch.lots()) {
        for (int payload = from; payload < Math.min(lot.jobs(), from + MIXED_BY); payload++) {
          jobs.add(lot.job(payload));
          if (jobs.size() == SUBMITTED_AT_ONCE) {
            store.submit(jobs);
            jobs.clear();
          }
        }
      }
    }
    store.submit(jobs);
    return System.nanoTime() - began;
  }

  private Batch run(Stopwatch stopwatch) throws InterruptedException {
    sluice.queues().resume(QUEUE);
    return stopwatch.await();
  }

  private void requireSucceeded(Map<JobState, Long> before, long jobs) throws InterruptedException {
    Map<JobState, Long> expected = new EnumMap<>(before);
    expected.merge(JobState.SUCCEEDED, jobs, Long::sum);
    Map<JobState, Long> found = Counts.await(sluice, expected::equals);
    if (!expected.equals(found)) {
      throw new IllegalStateException(
          "'%s' should have left %s, but there are %s".formatted(setting.name(), expected, found));
    }
  }

  @Override
  public void close() {
    amid.close();
    team.close();
    store.close();
    sluice.close();
    venue.close();
  }
}
