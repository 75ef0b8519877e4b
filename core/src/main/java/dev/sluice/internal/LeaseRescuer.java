package dev.sluice.internal;

import dev.sluice.spi.JobStore;
import dev.sluice.spi.RecoveryReport;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Frees what dead workers held. Every worker does this: at its start, every quarter of its lease,
 * and, where the store says so, when the lease of a silent worker would run out.
 */
final class LeaseRescuer implements Chore {
  private static final Logger log = LoggerFactory.getLogger(LeaseRescuer.class);
  private static final Duration SHORTEST_INTERVAL = Duration.ofMillis(250);
  private static final Duration LONGEST_INTERVAL = Duration.ofSeconds(5);

  private final JobStore store;
  private final Duration lease;
  private volatile Optional<Duration> soon = Optional.empty();

  LeaseRescuer(JobStore store, Duration lease) {
    this.store = store;
    this.lease = lease;
  }

  @Override
  public String what() {
    return "Recovering what dead workers held";
  }

  @Override
  public Duration interval() {
    Duration quarter = lease.dividedBy(4);
    Duration atMost = quarter.compareTo(LONGEST_INTERVAL) > 0 ? LONGEST_INTERVAL : quarter;
    return atLeastShortest(atMost);
  }

  @Override
  public Optional<Duration> soon() {
    return soon;
  }

  private static Duration atLeastShortest(Duration interval) {
    return interval.compareTo(SHORTEST_INTERVAL) < 0 ? SHORTEST_INTERVAL : interval;
  }

  @Override
  public void run() {
    soon = Optional.empty();
    soon = logged(store.recover()).nextLook().map(LeaseRescuer::atLeastShortest);
  }

  /** Logs what a recovery found: a line per worker, and a line per group. */
  static RecoveryReport logged(RecoveryReport report) {
    for (RecoveryReport.DeadWorker worker : report.deadWorkers()) {
      log.warn(
          "Worker '{}' ({}) was silent for longer than its lease. Jobs that are ready again: {}.",
          worker.name(),
          worker.id(),
          Counts.text(worker.requeuedJobs()));
    }
    report.freedSlots().forEach(LeaseRescuer::logFreed);
    return report;
  }

  /** Logs how many slots of a group came free because their lease had expired. */
  static void logFreed(String group, int slots) {
    log.warn("Freed {} slots of '{}' whose lease had expired.", slots, group);
  }
}
