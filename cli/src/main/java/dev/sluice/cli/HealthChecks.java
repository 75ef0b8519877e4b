package dev.sluice.cli;

import static java.util.stream.Collectors.toSet;

import dev.sluice.AuditReport;
import dev.sluice.Diagnosis.Finding;
import dev.sluice.Group;
import dev.sluice.Sluice;
import dev.sluice.WorkerInfo;
import dev.sluice.Workers;
import dev.sluice.cli.text.Durations;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** What can be wrong with what is in a store, whichever it is; and putting it right. */
final class HealthChecks {
  private static final Duration MOST_SKEW = Duration.ofSeconds(5);
  private static final Duration LOOK_AGAIN = Duration.ofMillis(200);
  private static final String FIX = "'sluice doctor --fix' puts it right.";

  private final Sluice sluice;
  private final Instant now;

  HealthChecks(Sluice sluice, Instant now) {
    this.sluice = sluice;
    this.now = now;
  }

  /**
   * Looks at slots and workers; changes nothing.
   *
   * @param known what the store's own examination found, which is not said twice
   */
  List<Finding> examine(List<Finding> known) {
    List<Finding> findings = new ArrayList<>();
    if (known.stream().noneMatch(finding -> finding.subject().equals("slots"))) {
      slots(findings);
    }
    List<WorkerInfo> workers = sluice.workers().list();
    if (known.stream().noneMatch(f -> f.subject().equals("workers") && !f.good())) {
      workers(workers, findings);
    }
    clocks(workers, findings);
    return findings;
  }

  private void slots(List<Finding> findings) {
    AuditReport report = sluice.concurrency().audit(false);
    if (report.isClean()) {
      findings.add(good("slots", "each has its holder, and no limit is exceeded"));
    }
    for (AuditReport.Finding finding : report.findings()) {
      boolean repairable =
          finding.kind() == AuditReport.Kind.MISCOUNTED
              || finding.kind() == AuditReport.Kind.LEAKED
              || finding.kind() == AuditReport.Kind.UNLISTED;
      findings.add(
          bad(
              "slots",
              "group '%s': %s".formatted(finding.group(), finding.seen()),
              repairable ? FIX : "Nothing more starts in it until enough jobs have ended."));
    }
  }

  private void workers(List<WorkerInfo> workers, List<Finding> findings) {
    for (WorkerInfo worker : workers) {
      // Others find a lease that is over within another one; then nobody is there to.
      Instant givenUp = worker.lease().expiresAt().plus(worker.lease().length());
      if (givenUp.isBefore(worker.lease().readAt())) {
        findings.add(
            bad(
                "workers",
                "'%s' (%s) is gone for %s, and nobody has taken up its jobs"
                    .formatted(
                        worker.name(),
                        worker.id(),
                        Durations.format(
                            Duration.between(worker.lease().expiresAt(), worker.lease().readAt()))),
                "Start a worker, or " + FIX));
      }
    }
  }

  private void clocks(List<WorkerInfo> workers, List<Finding> findings) {
    for (WorkerInfo worker : workers) {
      worker
          .bulletin()
          .filter(bulletin -> bulletin.at().isAfter(now.plus(MOST_SKEW)))
          .ifPresent(
              bulletin ->
                  findings.add(
                      bad(
                          "clock",
                          "that of worker '%s' is %s ahead of this machine's"
                              .formatted(
                                  worker.name(),
                                  Durations.format(Duration.between(now, bulletin.at()))),
                          "Set both by NTP; times in lists and logs are wrong until then.")));
    }
  }

  /**
   * Gives up those whose lease is over. Where nobody keeps the time but who looks, as with objects,
   * a lease is over when it was seen unchanged for as long as it lasts: so it may take that long.
   */
  private Workers.Recovered recover() throws InterruptedException {
    Duration longest =
        expired()
            .map(worker -> worker.lease().length())
            .max(Duration::compareTo)
            .orElse(Duration.ZERO);
    long deadline = System.nanoTime() + longest.multipliedBy(2).plus(MOST_SKEW).toNanos();
    Workers.Recovered sum = sluice.workers().recover();
    while (expired().findAny().isPresent() && System.nanoTime() < deadline) {
      Thread.sleep(LOOK_AGAIN.toMillis());
      Workers.Recovered more = sluice.workers().recover();
      sum =
          new Workers.Recovered(
              Stream.of(sum, more).flatMap(one -> one.workers().stream()).collect(toSet()),
              sum.jobs() + more.jobs(),
              sum.slots() + more.slots());
    }
    return sum;
  }

  private Stream<WorkerInfo> expired() {
    return sluice.workers().list().stream().filter(worker -> !worker.lease().alive());
  }

  /** Puts right what can be, and says what was done, a sentence each. */
  List<String> fix() throws InterruptedException {
    List<String> done = new ArrayList<>();
    Workers.Recovered recovered = recover();
    if (recovered.workers().size() + recovered.jobs() + recovered.slots() > 0) {
      done.add(
          "Gave up %d workers that were gone: %d of their jobs are back in line, %d slots came free."
              .formatted(recovered.workers().size(), recovered.jobs(), recovered.slots()));
    }
    for (Map.Entry<Group, Integer> freed : sluice.concurrency().cleanupExpired().entrySet()) {
      done.add("Freed %d expired slots of '%s'.".formatted(freed.getValue(), freed.getKey()));
    }
    for (AuditReport.Finding finding : sluice.concurrency().audit(true).findings()) {
      done.add(
          "Found %s at '%s': %s"
              .formatted(AuditSheet.word(finding), finding.group(), finding.seen()));
    }
    return done;
  }

  private static Finding good(String subject, String seen) {
    return new Finding(subject, true, seen, Optional.empty(), Map.of());
  }

  private static Finding bad(String subject, String seen, String remedy) {
    return new Finding(subject, false, seen, Optional.of(remedy), Map.of());
  }
}
