package dev.sluice.bench.scenario;

import dev.sluice.JobState;
import dev.sluice.Sluice;
import dev.sluice.SubmitOptions;
import dev.sluice.bench.server.BenchDatabase;
import dev.sluice.bench.server.BenchServer;
import dev.sluice.bench.server.FunctionTimer;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * A setting set up in a database of its own, ready to be measured again and again.
 *
 * <p>A round begins with a batch to warm up. It is submitted first, then the server settles, then
 * the workers sign on: so the server's statistics, and the plans that are made from them, are those
 * of a table with jobs in it. Then batch after batch is submitted while the queue is paused, and
 * timed when the queue is resumed, until enough time was measured. At the end the store's own
 * counts must agree that every job has succeeded, or the run fails.
 */
final class Stage implements AutoCloseable {
  private static final String QUEUE = SubmitOptions.DEFAULT_QUEUE;

  /** Of several tasks, so many jobs are submitted at a time, so that they stand mixed. */
  private static final int MIXED_BY = 10;

  private final Setting setting;
  private final Plan plan;
  private final BenchDatabase database;
  private final String measuredUrl;
  private final Sluice sluice;
  private final Circumstance.Undo amid;
  private final BatchClock clock = new BatchClock();
  private Team team;

  private Stage(Setting setting, Plan plan, BenchDatabase database) throws InterruptedException {
    this.setting = setting;
    this.plan = plan;
    this.database = database;
    String url = database.endpoint().url();
    measuredUrl = MeasuredStoreProvider.measured(url);
    sluice = Sluice.open(url);
    team = new Team(setting.clocked() ? measuredUrl : url, setting);
    // Workers declare the limits, and a store learns them best before there are jobs.
    team.start(clock).close();
    amid = setting.amid().arrange(sluice, database.endpoint(), plan);
  }

  /** Sets a setting up, limits and circumstances included. */
  static Stage open(BenchServer server, Setting setting, Plan plan) throws InterruptedException {
    String name = "sluice_bench_" + setting.name().replaceAll("[^a-z0-9]+", "_");
    return new Stage(setting.scaled(plan.scale()), plan, server.createDatabase(name));
  }

  /** Measures a round. */
  Round measure() throws InterruptedException {
    sluice.jobs().purge(Duration.ZERO);
    Map<JobState, Long> before = sluice.jobs().counts();
    Setting warmUp = setting.warmUp();
    Stopwatch first = clock.next(warmUp);
    submit(warmUp);
    database.settle();
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
      } while (total.nanos() < plan.leastNanos());
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
   * Measures a last round with clocks on both sides of the connection, which cost some throughput.
   */
  Profile profile() throws InterruptedException {
    team.close();
    FunctionTimer timer = FunctionTimer.start(database.endpoint());
    team = new Team(measuredUrl, setting);
    Round round = measure();
    double heap = Heap.usedMegabytes();
    team.close();
    return new Profile(round, timer.stop(), heap);
  }

  /**
   * What was seen with clocks at work.
   *
   * @param round what the workers saw
   * @param functions milliseconds per call of the store's SQL functions, by the server's own count
   * @param heapMegabytes what the process kept in memory at the end
   */
  record Profile(Round round, Map<String, Double> functions, double heapMegabytes) {}

  /** Submits a batch that nobody starts yet, and says how long that took. */
  private long submit(Setting batch) {
    sluice.queues().pause(QUEUE);
    int most = batch.lots().stream().mapToInt(Lot::jobs).max().orElseThrow();
    int step = batch.lots().size() == 1 ? most : MIXED_BY;
    long began = System.nanoTime();
    for (int from = 0; from < most; from += step) {
      for (Lot lot : batch.lots()) {
        IntStream payloads = IntStream.range(from, Math.min(lot.jobs(), from + step));
        sluice.submitAll(lot.task(), payloads::iterator);
      }
    }
    return System.nanoTime() - began;
  }

  private Batch run(Stopwatch stopwatch) throws InterruptedException {
    sluice.queues().resume(QUEUE);
    return stopwatch.await();
  }

  private void requireSucceeded(Map<JobState, Long> before, long jobs) {
    Map<JobState, Long> expected = new EnumMap<>(before);
    expected.merge(JobState.SUCCEEDED, jobs, Long::sum);
    Map<JobState, Long> found = sluice.jobs().counts();
    if (!expected.equals(found)) {
      throw new IllegalStateException(
          "'%s' should have left %s, but there are %s".formatted(setting.name(), expected, found));
    }
  }

  @Override
  public void close() {
    amid.close();
    team.close();
    sluice.close();
    database.close();
  }
}
