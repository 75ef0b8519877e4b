package dev.sluice.bench.scenario;

import dev.sluice.JobContext;
import dev.sluice.WorkerListener;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Collectors;

/**
 * Times one batch: from the moment the first handler of a counted job starts to the moment the
 * store has accepted the last one's success. Thread-safe.
 */
final class Stopwatch implements WorkerListener {
  private static final Duration LONGEST_SILENCE = Duration.ofMinutes(1);

  private final Set<String> countedTasks;
  private final int counted;
  private final int all;
  private final AtomicLong began = new AtomicLong();
  private final AtomicLong ended = new AtomicLong();
  private final AtomicInteger countedDone = new AtomicInteger();
  private final AtomicInteger allDone = new AtomicInteger();
  private final LongAdder insideHandlers = new LongAdder();
  private final CountDownLatch done = new CountDownLatch(1);

  Stopwatch(Setting setting) {
    countedTasks =
        setting.lots().stream()
            .filter(Lot::counted)
            .map(lot -> lot.task().name())
            .collect(Collectors.toUnmodifiableSet());
    counted = setting.lots().stream().filter(Lot::counted).mapToInt(Lot::jobs).sum();
    all = setting.jobs();
  }

  @Override
  public void onStart(JobContext job) {
    if (began.get() == 0 && countedTasks.contains(job.task())) {
      began.compareAndSet(0, System.nanoTime());
    }
  }

  @Override
  public void onSuccess(JobContext job, Duration took) {
    insideHandlers.add(took.toNanos());
    if (countedTasks.contains(job.task()) && countedDone.incrementAndGet() == counted) {
      ended.set(System.nanoTime());
    }
    if (allDone.incrementAndGet() == all) {
      done.countDown();
    }
  }

  /**
   * Waits for the last job.
   *
   * @throws IllegalStateException if no job ends for a minute
   */
  Batch await() throws InterruptedException {
    int before = -1;
    while (!done.await(LONGEST_SILENCE.toSeconds(), TimeUnit.SECONDS)) {
      int now = allDone.get();
      if (now == before) {
        throw new IllegalStateException(
            "%d of %d jobs ended, and none for the last minute".formatted(now, all));
      }
      before = now;
    }
    return new Batch(counted, ended.get() - began.get(), insideHandlers.sum());
  }
}
