package dev.sluice.internal;

import dev.sluice.spi.JobStore;
import dev.sluice.spi.RecoveryReport;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Frees what dead workers held. Every worker does this: at its start, and every quarter of its
 * lease.
 */
final class LeaseRescuer implements Chore {
  private static final Logger log = LoggerFactory.getLogger(LeaseRescuer.class);
  private static final Duration SHORTEST_INTERVAL = Duration.ofMillis(250);
  private static final Duration LONGEST_INTERVAL = Duration.ofSeconds(5);

  private final JobStore store;
  private final Duration lease;

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
    return atMost.compareTo(SHORTEST_INTERVAL) < 0 ? SHORTEST_INTERVAL : atMost;
  }

  @Override
  public void run() {
    RecoveryReport report = store.recover();
    if (report.isEmpty()) {
      return;
    }
    log.warn(
        "{} workers were silent for longer than their lease: {} of their jobs are ready again.",
        report.deadWorkers(),
        report.requeuedJobs());
    report.freedSlots().forEach((group, slots) -> log.warn("Freed {} of '{}'.", slots, group));
  }
}
