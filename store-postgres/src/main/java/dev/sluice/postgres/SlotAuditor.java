package dev.sluice.postgres;

import dev.sluice.AuditReport;
import dev.sluice.AuditReport.Finding;
import dev.sluice.AuditReport.Kind;
import dev.sluice.Group;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Compares slots with holders and limits; the queries are in {@code migration/016}.
 *
 * <p>A violation is a grave thing to say, so it is said only of what two looks a moment apart have
 * both seen. Everything else is true by one look, which is one snapshot. No worker is kept from
 * working for a violation: there is nothing to repair, and the lock under which repairs are made is
 * not taken.
 */
final class SlotAuditor {
  private static final Logger log = LoggerFactory.getLogger(SlotAuditor.class);

  private static final String FINDINGS =
      "SELECT group_name, kind, number, seen, worker_id FROM ${schema}.audit_findings()";
  private static final String REPAIR =
      "SELECT group_name, kind, number, seen, worker_id FROM ${schema}.audit_repair(?)";
  private static final String TAKE_UNLISTED = "SELECT ${schema}.take_unlisted()";
  private static final String REQUEUE_ORPHANS = "SELECT ${schema}.requeue_orphans()";

  // A change of limits in a long transaction is not waited for; the next audit is as good.
  private static final String BEGIN_AUDIT =
      """
      UPDATE ${schema}.meta SET audited_at = clock_timestamp()
      WHERE singleton = (
        SELECT m.singleton
        FROM ${schema}.meta m
        WHERE m.audited_at IS NULL OR m.audited_at <= clock_timestamp() - ? * interval '1 millisecond'
        FOR UPDATE SKIP LOCKED)
      """;
  private static final Duration SECOND_LOOK = Duration.ofMillis(150);

  private final Database database;

  SlotAuditor(Database database) {
    this.database = database;
  }

  /** A finding, and the worker it is about, if it is about one. */
  private record Seen(Finding finding, String worker) {
    String what() {
      return finding.group() + " " + finding.kind() + " " + worker;
    }

    boolean isUnlisted() {
      return finding.kind() == Kind.UNLISTED;
    }

    boolean isViolation() {
      return finding.kind() == Kind.UNCOVERED || finding.kind() == Kind.EXCEEDED;
    }
  }

  /** Audits and repairs, unless a worker began to within this time. */
  Optional<AuditReport> auditIfDue(Duration interval) {
    return database.update(BEGIN_AUDIT, interval.toMillis()) == 1
        ? Optional.of(audit(true))
        : Optional.empty();
  }

  AuditReport audit(boolean repair) {
    if (repair) {
      int requeued = database.one(REQUEUE_ORPHANS, row -> row.getInt(1));
      if (requeued > 0) {
        log.warn("Took back {} jobs whose workers are not on record.", requeued);
      }
    }
    List<Seen> first = database.list(FINDINGS, SlotAuditor::read);
    List<Seen> violations = seenAgain(first.stream().filter(Seen::isViolation).toList());
    List<Seen> unlisted = first.stream().filter(Seen::isUnlisted).toList();
    List<Seen> others =
        first.stream().filter(seen -> !seen.isViolation() && !seen.isUnlisted()).toList();
    if (repair && !others.isEmpty()) {
      // What is put right is what there is by then.
      others =
          database.list(
              REPAIR,
              SlotAuditor::read,
              SqlArray.TEXT.of(others, seen -> seen.finding.group().toString()));
    }
    if (repair && !unlisted.isEmpty()) {
      database.run(TAKE_UNLISTED);
    }
    boolean repaired = repair && !(others.isEmpty() && unlisted.isEmpty());
    List<Finding> findings =
        perGroup(Stream.of(others, unlisted, violations).flatMap(List::stream).toList());
    return findings.isEmpty() ? AuditReport.CLEAN : new AuditReport(findings, repaired);
  }

  /** Those of the violations that are there a moment later, as they are then. */
  private List<Seen> seenAgain(List<Seen> violations) {
    if (violations.isEmpty()) {
      return violations;
    }
    LockSupport.parkNanos(SECOND_LOOK.toNanos());
    Set<String> before = violations.stream().map(Seen::what).collect(Collectors.toSet());
    return database.list(FINDINGS, SlotAuditor::read).stream()
        .filter(seen -> before.contains(seen.what()))
        .toList();
  }

  /** What was seen of several workers in one group is one finding. */
  private static List<Finding> perGroup(List<Seen> seen) {
    Map<String, Finding> findings = new TreeMap<>();
    for (Seen one : seen) {
      findings.merge(
          one.finding.group() + " " + one.finding.kind(),
          one.finding,
          (a, b) ->
              new Finding(a.group(), a.kind(), a.count() + b.count(), a.seen() + " " + b.seen()));
    }
    return List.copyOf(findings.values());
  }

  private static Seen read(ResultSet row) throws SQLException {
    return new Seen(
        new Finding(
            Group.parse(row.getString("group_name")),
            Kind.valueOf(row.getString("kind")),
            row.getInt("number"),
            row.getString("seen")),
        row.getString("worker_id"));
  }
}
