package dev.sluice.object;

import dev.sluice.AuditReport;
import dev.sluice.spi.Checkup;
import dev.sluice.spi.JobStore;
import dev.sluice.spi.WorkerStore.StoredWorker;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Examines who holds what: jobs, slots, and workers that have fallen silent with jobs in hand. */
final class HoldersCheckup {
  private static final int SHOWN = 5;
  private static final String RECOVER =
      "Start a worker, which sees to it within its lease, or say: sluice doctor --fix";

  private final Checkup checkup;
  private final JobStore store;

  HoldersCheckup(Checkup checkup, JobStore store) {
    this.checkup = checkup;
    this.store = store;
  }

  /**
   * Looks at all of it.
   *
   * @param now what time it is by the store's clock
   */
  void run(Instant now) {
    checkup.attempt("jobs", () -> store.jobs().counts()).ifPresent(checkup::jobs);
    checkup.attempt("slots", () -> store.limits().audit(false)).ifPresent(this::slots);
    checkup
        .attempt("workers", () -> store.workers().list())
        .ifPresent(workers -> workers(workers, now));
  }

  private void slots(AuditReport report) {
    if (report.isClean()) {
      checkup.good("slots", "every slot has a holder, and no limit is exceeded");
      return;
    }
    String seen =
        report.findings().stream()
            .limit(SHOWN)
            .map(finding -> finding.group() + ": " + finding.seen())
            .collect(Collectors.joining("; "));
    boolean more = report.findings().size() > SHOWN;
    checkup.bad(
        "slots",
        more ? seen + "; and %d more".formatted(report.findings().size() - SHOWN) : seen,
        report.violations() == report.findings().size()
            ? "Nothing to repair: it ends when the jobs end that run now."
            : RECOVER);
  }

  /** A lease that ran out a whole lease ago should have been noticed by somebody. */
  private void workers(List<StoredWorker> workers, Instant now) {
    List<StoredWorker> silent =
        workers.stream()
            .filter(worker -> worker.expiresAt().plus(worker.lease()).isBefore(now))
            .toList();
    Map<String, Double> figures =
        Map.of("workers", (double) workers.size(), "silent_workers", (double) silent.size());
    if (silent.isEmpty()) {
      checkup.good("workers", workers.size() + " signed on, none of them silent", figures);
      return;
    }
    StoredWorker longest = silent.get(0);
    checkup.bad(
        "workers",
        "%d of %d are silent and their jobs are stuck; worker %s (%s) for %s seconds"
            .formatted(
                silent.size(),
                workers.size(),
                longest.id(),
                longest.name(),
                Duration.between(longest.expiresAt(), now).toSeconds()),
        RECOVER);
  }
}
