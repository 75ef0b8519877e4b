package dev.sluice.postgres;

import java.time.Duration;
import java.util.function.LongSupplier;

/** Something to do at most once in a while, and the first time at once. One thread's own. */
final class Pace {
  private final long interval;
  private final LongSupplier nanoTime;
  private long doneAt;

  Pace(Duration interval, LongSupplier nanoTime) {
    this.interval = interval.toNanos();
    this.nanoTime = nanoTime;
    this.doneAt = nanoTime.getAsLong() - this.interval;
  }

  boolean isDue() {
    return nanoTime.getAsLong() - doneAt >= interval;
  }

  /** It was done just now. */
  void done() {
    doneAt = nanoTime.getAsLong();
  }
}
