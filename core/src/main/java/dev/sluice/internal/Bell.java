package dev.sluice.internal;

import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Wakes the one thread that waits for it. Any number of rings before it looks count as one, so a
 * ring costs next to nothing while the thread is busy.
 */
final class Bell {
  private final AtomicBoolean rung = new AtomicBoolean();
  private final Semaphore signal = new Semaphore(0);

  void ring() {
    if (rung.compareAndSet(false, true)) {
      signal.release();
    }
  }

  /** Waits for a ring, up to so many nanoseconds; whether there was one. */
  boolean await(long nanos) throws InterruptedException {
    if (!signal.tryAcquire(Math.max(0, nanos), TimeUnit.NANOSECONDS)) {
      return false;
    }
    // Taken down before the caller looks at what the ring was for: a later ring is a new one.
    rung.set(false);
    return true;
  }
}
