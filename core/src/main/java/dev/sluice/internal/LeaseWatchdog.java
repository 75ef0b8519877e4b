package dev.sluice.internal;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks at the clock forty times a second, on behalf of one tenure, and never waits for anything
 * else: not for the store, not for user code. So it notices a lease that ran out within 25 ms,
 * while a renewal hangs, and just as soon after the whole process was frozen and thawed.
 */
final class LeaseWatchdog implements Runnable {
  private static final Logger log = LoggerFactory.getLogger(LeaseWatchdog.class);
  static final Duration TICK = Duration.ofMillis(25);

  private final Tenure tenure;

  LeaseWatchdog(Tenure tenure) {
    this.tenure = tenure;
  }

  @Override
  public void run() {
    while (!tenure.over()) {
      try {
        tenure.tick();
      } catch (RuntimeException | Error e) {
        // Whatever it was, the watch goes on.
        log.error("A look at the lease of worker {} failed.", tenure.worker(), e);
      }
      LockSupport.parkNanos(this, TICK.toNanos());
    }
  }
}
