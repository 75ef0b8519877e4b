package dev.sluice.internal;

import dev.sluice.AuditReport;
import dev.sluice.AuditReport.Finding;
import dev.sluice.AuditReport.Kind;
import dev.sluice.Group;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Compares, about every minute, the slots with their holders and limits, and has the store repair
 * what can be. It should never find anything.
 *
 * <p>One worker of all does it: who did it last goes on, and the others step in only when it has
 * not been done for several minutes. So what lasts, like a slot that was released by force while
 * its job goes on, is told once, when it appears, and not with every look; another worker that
 * steps in tells it once more.
 */
final class SlotAuditor implements Chore {
  private static final Logger log = LoggerFactory.getLogger(SlotAuditor.class);
  private static final Duration INTERVAL = Duration.ofMinutes(1);

  /** Less than any interval between two looks of one worker, which vary by a fifth. */
  static final Duration DUE_AGAIN = Duration.ofSeconds(30);

  /** More than any. */
  static final Duration MISSED = Duration.ofMinutes(3);

  private record Told(Group group, Kind kind) {}

  private final Function<Duration, Optional<AuditReport>> audit;
  private final Consumer<AuditReport> audience;
  private boolean onDuty;
  private Set<Told> told = Set.of();

  /** {@code audit} is {@link dev.sluice.spi.LimitStore#auditIfDue}. */
  SlotAuditor(Function<Duration, Optional<AuditReport>> audit, Consumer<AuditReport> audience) {
    this.audit = audit;
    this.audience = audience;
  }

  @Override
  public String what() {
    return "Auditing the slots";
  }

  @Override
  public Duration interval() {
    return INTERVAL;
  }

  @Override
  public void run() {
    Optional<AuditReport> report = audit.apply(onDuty ? DUE_AGAIN : MISSED);
    onDuty = report.isPresent();
    report.map(this::news).ifPresent(audience);
  }

  /** What the last look of this worker did not find. */
  private AuditReport news(AuditReport report) {
    Set<Told> found = new HashSet<>();
    List<Finding> fresh = new ArrayList<>();
    for (Finding finding : report.findings()) {
      Told it = new Told(finding.group(), finding.kind());
      if (found.add(it) && !told.contains(it)) {
        fresh.add(finding);
        log.warn("{}: {} {}", finding.group(), finding.seen(), remedy(finding, report.repaired()));
      }
    }
    if (report.repaired()) {
      // If it is found again it has happened again.
      found.removeIf(it -> it.kind != Kind.UNCOVERED && it.kind != Kind.EXCEEDED);
    }
    told = found;
    return new AuditReport(fresh, report.repaired());
  }

  static String remedy(Finding finding, boolean repaired) {
    return switch (finding.kind()) {
      case MISCOUNTED ->
          repaired ? "It was counted anew." : "It is counted anew by the next audit.";
      case LEAKED -> repaired ? "The slots were freed." : "The slots are freed by the next audit.";
      case UNLISTED ->
          repaired
              ? "They were taken from that worker: jobs are back in line, slots are free."
              : "They are taken from that worker by the next audit.";
      case UNCOVERED ->
          "No running job is killed: the group is within its limit again when those jobs end. To end them now, cancel them.";
      case EXCEEDED ->
          "Nothing more starts until enough of its jobs have ended. If no limit was lowered, this is a fault: please report it.";
    };
  }
}
