package dev.sluice;

import java.util.List;

/**
 * What a comparison of the slots with their holders and limits found; see {@link
 * ConcurrencyLimits#audit}.
 *
 * @param findings what was not as it should be, by group
 * @param repaired whether it was put right
 */
public record AuditReport(List<Finding> findings, boolean repaired) {
  /** Everything was as it should be. */
  public static final AuditReport CLEAN = new AuditReport(List.of(), false);

  public AuditReport {
    findings = List.copyOf(findings);
  }

  /** What can be wrong with a group. */
  public enum Kind {
    /** A count of held slots differs from the slots on record. Repaired by counting again. */
    MISCOUNTED,
    /** A slot is held by nobody: a worker that is not on record. Repaired by freeing it. */
    LEAKED,
    /**
     * Jobs or slots are on record for a live worker that does not list them when it says what it
     * has. Repaired by putting the jobs back in line and freeing the slots.
     */
    UNLISTED,
    /**
     * More jobs of the group run on a worker than it holds slots. The limit is exceeded or could
     * be: a violation. Happens when an operator releases a slot by force whose job goes on. There
     * is nothing to repair: no running job is killed.
     */
    UNCOVERED,
    /**
     * More slots are held than the limit allows, and they were not all held when it was last
     * changed: a violation. Repaired by itself as jobs end, because nothing more starts.
     */
    EXCEEDED
  }

  /**
   * Something that was not as it should be.
   *
   * @param group the group
   * @param kind what
   * @param count how many slots or jobs
   * @param seen what was seen, as a sentence
   */
  public record Finding(Group group, Kind kind, int count, String seen) {}

  /** Whether nothing was found. */
  public boolean isClean() {
    return findings.isEmpty();
  }

  /** How many limits were found exceeded. */
  public int violations() {
    return (int)
        findings.stream()
            .filter(f -> f.kind() == Kind.UNCOVERED || f.kind() == Kind.EXCEEDED)
            .count();
  }
}
