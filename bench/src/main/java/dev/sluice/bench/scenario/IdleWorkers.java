package dev.sluice.bench.scenario;

import dev.sluice.WorkerListener;
import dev.sluice.bench.server.MemoryVenue;
import dev.sluice.object.RequestMeter;
import dev.sluice.object.RequestReport;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Counts what workers with default settings cost that have nothing to do, each with a store of its
 * own. They count in the background; nothing depends on how fast the machine is.
 */
final class IdleWorkers implements AutoCloseable {
  /** A worker takes a minute of nothing to do to count itself idle. */
  private static final Duration TO_SETTLE = Duration.ofSeconds(90);

  private static final Duration STRETCH = Duration.ofMinutes(2);
  private static final double DAY = Duration.ofDays(1).toNanos();

  private final int workers;
  private final double scale;
  private final Team team;
  private final Team.Shift shift;
  private final RequestMeter meter;
  private final long began = System.nanoTime();

  /** Workers that begin to idle now. */
  IdleWorkers(int workers, double scale) {
    this.workers = workers;
    this.scale = scale;
    String url = MeteredStoreProvider.metered(MemoryVenue.create().url());
    meter = MeteredStoreProvider.meter(url);
    Lot none = Lot.of(Scenarios.task("idle").maxConcurrent(10).build(), 0);
    team = new Team(url, Setting.of("idle", none).crew(workers, workers));
    shift = team.start(new WorkerListener() {});
  }

  /** Waits until they have settled and idled for a while; what each uses in a day. */
  Usage count() throws InterruptedException {
    waitUntil(began + scaled(TO_SETTLE));
    RequestReport before = meter.report();
    long from = System.nanoTime();
    waitUntil(from + scaled(STRETCH));
    RequestReport taken = meter.report().since(before);
    return new Usage(taken, workers * (System.nanoTime() - from) / DAY);
  }

  private long scaled(Duration time) {
    return Math.round(time.toNanos() * scale);
  }

  private static void waitUntil(long nanoTime) throws InterruptedException {
    TimeUnit.NANOSECONDS.sleep(Math.max(0, nanoTime - System.nanoTime()));
  }

  @Override
  public void close() {
    shift.close();
    team.close();
  }
}
