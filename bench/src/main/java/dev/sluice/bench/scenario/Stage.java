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
 * <p>A batch is submitted while the queue is paused, the workers sign on, and the queue is resumed:
 * what is timed begins with everybody in place. Afterwards the store's own counts must agree that
 * every job has succeeded, or the run fails.
 */
final class Stage implements AutoCloseable {
  private static final String QUEUE = SubmitOptions.DEFAULT_QUEUE;

  /** Of several tasks, so many jobs are submitted at a time, so that they stand mixed. */
  private static final int MIXED_BY = 10;

  private final Setting setting;
  private final Plan plan;
  private final BenchDatabase database;
  private final Sluice sluice;
  private final Circumstance.Undo amid;
  private Team team;

  private Stage(Setting setting, Plan plan, BenchDatabase database) throws InterruptedException {
    this.setting = setting;
    this.plan = plan;
    this.database = database;
    sluice = Sluice.open(database.endpoint().url());
    team = new Team(database.endpoint().url(), setting);
    // Workers declare the limits, and a store learns them best before there are jobs.
    team.start(new Stopwatch(setting)).close();
    amid = setting.amid().arrange(sluice, database.endpoint(), plan);
    runBatch(Round.NOTHING);
  }

  /** Sets a setting up, limits and circumstances included, and warms it up with one batch. */
  static Stage open(BenchServer server, Setting setting, Plan plan) throws InterruptedException {
    String name = "sluice_bench_" + setting.name().replaceAll("[^a-z0-9]+", "_");
    return new Stage(setting.scaled(plan), plan, server.createDatabase(name));
  }

  /** Measures batch after batch until enough time was measured. */
  Round measure() throws InterruptedException {
    settle();
    Round round = Round.NOTHING;
    do {
      round = runBatch(round);
    } while (round.nanos() < plan.leastMeasured().toNanos());
    return round;
  }

  /** Measures once more, with clocks on both sides of the connection; the last thing to do. */
  Profile profile() throws InterruptedException {
    team.close();
    FunctionTimer timer = FunctionTimer.start(database.endpoint());
    String url = MeasuredStoreProvider.measured(database.endpoint().url());
    team = new Team(url, setting);
    Exchanges exchanges = MeasuredStoreProvider.exchanges(url);
    measure();
    double heap = Heap.usedMegabytes();
    team.close();
    return new Profile(
        exchanges.claiming().drain(), exchanges.completing().drain(), timer.stop(), heap);
  }

  private void settle() {
    sluice.jobs().purge(Duration.ZERO);
    database.settle();
  }

  private Round runBatch(Round round) throws InterruptedException {
    Map<JobState, Long> before = sluice.jobs().counts();
    sluice.queues().pause(QUEUE);
    long began = System.nanoTime();
    submit();
    long submitNanos = System.nanoTime() - began;
    Stopwatch stopwatch = new Stopwatch(setting);
    Stopwatch.Batch batch;
    try (Team.Shift shift = team.start(stopwatch);
        Circumstance.Undo during = setting.during().arrange(sluice, database.endpoint(), plan)) {
      sluice.queues().resume(QUEUE);
      batch = stopwatch.await();
    }
    requireAllSucceeded(before, sluice.jobs().counts());
    return round.plus(batch, setting.jobs(), submitNanos);
  }

  private void submit() {
    int most = setting.lots().stream().mapToInt(Lot::jobs).max().orElseThrow();
    int step = setting.lots().size() == 1 ? most : MIXED_BY;
    for (int from = 0; from < most; from += step) {
      for (Lot lot : setting.lots()) {
        IntStream payloads = IntStream.range(from, Math.min(lot.jobs(), from + step));
        sluice.submitAll(lot.task(), payloads::iterator);
      }
    }
  }

  private void requireAllSucceeded(Map<JobState, Long> before, Map<JobState, Long> after) {
    Map<JobState, Long> expected = new EnumMap<>(before);
    expected.merge(JobState.SUCCEEDED, (long) setting.jobs(), Long::sum);
    if (!expected.equals(after)) {
      throw new IllegalStateException(
          "The batch of '%s' should have left %s, but there are %s"
              .formatted(setting.name(), expected, after));
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
