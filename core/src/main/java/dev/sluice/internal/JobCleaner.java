package dev.sluice.internal;

import dev.sluice.spi.JobStore;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes jobs that finished longer ago than the retention, in small batches, about every minute.
 */
final class JobCleaner implements Chore {
  private static final Logger log = LoggerFactory.getLogger(JobCleaner.class);
  private static final int BATCH = 1_000;

  private final JobStore store;
  private final Duration retention;

  JobCleaner(JobStore store, Duration retention) {
    this.store = store;
    this.retention = retention;
  }

  @Override
  public String what() {
    return "Removing old finished jobs";
  }

  @Override
  public Duration interval() {
    return Duration.ofMinutes(1);
  }

  @Override
  public void run() {
    int removed = 0;
    int last;
    do {
      last = store.jobs().purge(retention, BATCH);
      removed += last;
    } while (last == BATCH && !Thread.currentThread().isInterrupted());
    // After the jobs: those of a run that goes now have had their time, and go next.
    store.runs().purge(retention, BATCH);
    if (removed > 0) {
      log.info("Removed {} jobs that finished more than {} ago.", removed, retention);
    }
  }
}
