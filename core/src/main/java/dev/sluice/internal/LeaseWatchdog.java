package dev.sluice.internal;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks at the clocks forty times a second, on behalf of one tenure, and never waits for anything
 * else: not for the store, not for user code. So it notices a lease that ran out within 25 ms,
 * while a renewal hangs, and just as soon after the whole process was frozen and thawed; after the
 * machine was suspended too, where the time since boot is known (see {@link ElapsedClock}). After a
 * suspension that the lease has outlived, and when the wall clock has jumped, the lease is renewed
 * at once: a renewal finds out whether the store has given it away.
 */
final class LeaseWatchdog implements Runnable {
  private static final Logger log = LoggerFactory.getLogger(LeaseWatchdog.class);
  static final Duration TICK = Duration.ofMillis(25);

  private final Tenure tenure;
  private final ClockJumps jumps;

  LeaseWatchdog(Tenure tenure, ElapsedClock clock) {
    this.tenure = tenure;
    this.jumps = new ClockJumps(clock);
  }

  @Override
  public void run() {
    while (!tenure.over()) {
      try {
        if (jumps.look()) {
          tenure.renewNow();
        }
        tenure.tick();
      } catch (RuntimeException | Error e) {
        // Whatever it was, the watch goes on.
        log.error("A look at the lease of worker {} failed.", tenure.worker(), e);
      }
      LockSupport.parkNanos(this, TICK.toNanos());
    }
  }
}
