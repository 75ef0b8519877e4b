package dev.sluice.bench.peers;

import dev.sluice.bench.server.CpuClock;
import dev.sluice.bench.server.CpuTime;
import java.time.Duration;
import java.util.Arrays;
import java.util.OptionalDouble;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * The handler that every contender in this process runs, and when each of its jobs started and
 * ended: measured from outside, whatever the contender says of itself. Of a job that runs more than
 * once only the first time counts. Handlers may call it from any thread; the rest is for the thread
 * that runs the contender.
 */
final class JobLog {
  private final Duration work;
  private final long[] started;
  private final long[] ended;
  private final AtomicIntegerArray taken;
  private final CountDownLatch open;
  private final CpuClock server;
  private double submitSeconds;
  private CpuClock.Count spent;
  private CpuTime serverCpu;

  /**
   * @param server what counts its CPU time
   */
  JobLog(Workload workload, CpuClock server) {
    this.server = server;
    work = workload.work();
    started = new long[workload.jobs()];
    ended = new long[workload.jobs()];
    taken = new AtomicIntegerArray(workload.jobs());
    open = new CountDownLatch(workload.jobs());
  }

  /** Every job is submitted, which took so long; workers are to be started now. */
  void submitted(double seconds) {
    submitSeconds = seconds;
    spent = server.start();
  }

  /** Does the work of the job with this number. */
  void handle(int job) throws InterruptedException {
    long start = System.nanoTime();
    if (!work.isZero()) {
      TimeUnit.NANOSECONDS.sleep(work.toNanos());
    }
    long end = System.nanoTime();
    if (taken.compareAndSet(job, 0, 1)) {
      started[job] = start;
      ended[job] = end;
      open.countDown();
    }
  }

  /** Waits until every job has ended. */
  void await() throws InterruptedException {
    open.await();
    serverCpu = spent.stop(started.length);
  }

  /** The timing of the whole, after {@link #await}. */
  Timing timing() {
    return timingUntil(Arrays.stream(ended).max().orElseThrow());
  }

  /** The same for a contender that is measured until a later moment, in {@code nanoTime}. */
  Timing timingUntil(long end) {
    long start = Arrays.stream(started).min().orElseThrow();
    return new Timing(
        started.length,
        OptionalDouble.of(submitSeconds),
        Stopwatch.seconds(end - start),
        Overlap.peak(started, ended),
        serverCpu);
  }
}
