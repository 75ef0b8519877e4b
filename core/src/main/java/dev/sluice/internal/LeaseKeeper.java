package dev.sluice.internal;

import dev.sluice.LeaseLostException;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Renews the lease of one tenure at a third of its length, from a thread of its own, until the
 * tenure is over; that is also how it hears which jobs to cancel. It renews at once after clocks
 * have jumped. When a renewal fails it tries again every twentieth of the lease. Whether the lease
 * is still good is not decided here: a renewal may hang for as long as it likes, {@link
 * LeaseWatchdog} looks at the clock.
 */
final class LeaseKeeper implements Runnable {
  private static final Logger log = LoggerFactory.getLogger(LeaseKeeper.class);
  private static final Duration SHORTEST_RETRY = Duration.ofMillis(100);

  /** However often it is woken, it renews no more often than this. */
  private static final Duration SHORTEST_PAUSE = Duration.ofMillis(50);

  private final Tenure tenure;
  private final WorkerEnvironment environment;
  private final OutageLog outage = new OutageLog(log, "Renewing the worker's lease");

  LeaseKeeper(Tenure tenure, WorkerEnvironment environment) {
    this.tenure = tenure;
    this.environment = environment;
  }

  @Override
  public void run() {
    Duration lease = environment.settings().timing().lease();
    long retry = Math.max(lease.dividedBy(20).toNanos(), SHORTEST_RETRY.toNanos());
    long lastSent = environment.now();
    long due = lastSent + lease.dividedBy(3).toNanos();
    try {
      while (!tenure.over()) {
        boolean woken = tenure.renewals().await(due - environment.now());
        boolean wanted = tenure.takeRenewalWish();
        if (tenure.over() || (woken && !wanted && !tenure.hasJobs())) {
          continue;
        }
        pauseUntil(lastSent + SHORTEST_PAUSE.toNanos());
        lastSent = environment.now();
        due = lastSent + (renew(lease) ? lease.dividedBy(3).toNanos() : retry);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (LeaseLostException e) {
      log.debug("The lease keeper of worker {} ends.", tenure.worker(), e);
    }
  }

  private boolean renew(Duration lease) {
    try {
      tenure.renew(lease);
      outage.worked();
      return true;
    } catch (LeaseLostException e) {
      throw e;
    } catch (RuntimeException e) {
      outage.failed(e);
      return false;
    }
  }

  private void pauseUntil(long moment) throws InterruptedException {
    long left = moment - environment.now();
    if (left > 0) {
      Thread.sleep(left / 1_000_000 + 1);
    }
  }
}
