package dev.sluice.object;

import dev.sluice.object.state.Micros;
import java.time.Duration;
import java.time.Instant;
import java.util.function.LongSupplier;

/**
 * What time it is by the store's clock, told from what the store says with its answers.
 *
 * <p>Buckets tell the time in whole seconds, cut off, and an answer is older than the moment it is
 * read. So each answer is a lower bound, and the best guess is the highest of them carried on by
 * this process's monotonic clock: it is never ahead of the store, and comes closer with every
 * answer. A store whose clock was set back is believed once it is off by more than cut-off seconds
 * explain. Thread-safe.
 */
final class StoreClock {
  private static final long SET_BACK = Micros.of(Duration.ofSeconds(3));

  private final LongSupplier nanoTime;
  private long offset;
  private boolean known;

  /** A clock that has heard nothing yet, carried on by this monotonic clock. */
  StoreClock(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  /** Takes note of what the store said just now. */
  void heard(Instant storeTime) {
    heard(Micros.of(storeTime));
  }

  /** The same in microseconds, also for what another process had heard. */
  synchronized void heard(long storeTime) {
    long heard = storeTime - nanoTime.getAsLong() / 1_000;
    if (!known || heard > offset || heard < offset - SET_BACK) {
      offset = heard;
      known = true;
    }
  }

  /** The store's time in microseconds since 1970. */
  synchronized long now() {
    if (!known) {
      throw new IllegalStateException("The store has not said yet what time it is.");
    }
    return nanoTime.getAsLong() / 1_000 + offset;
  }
}
