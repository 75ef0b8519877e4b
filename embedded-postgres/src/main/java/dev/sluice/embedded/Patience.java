package dev.sluice.embedded;

import java.time.Duration;

/** A bounded wait for something that another process does. */
final class Patience {

  private static final Duration PAUSE = Duration.ofMillis(20);

  private final long endNanos;

  Patience(Duration limit) {
    this.endNanos = System.nanoTime() + limit.toNanos();
  }

  Duration remaining() {
    return Duration.ofNanos(Math.max(0, endNanos - System.nanoTime()));
  }

  boolean isOver() {
    return remaining().isZero();
  }

  /** Lets the other process work for a moment. */
  void pause() {
    try {
      Thread.sleep(PAUSE.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("Interrupted while waiting for the embedded PostgreSQL", e);
    }
  }
}
