package dev.sluice.internal;

import dev.sluice.Group;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The limits a worker declares in code. Those of tasks are known when it starts. Those of
 * class-style jobs are methods of the job, so they are learned from the jobs it gets: no job starts
 * that was claimed before the limit it declares was on record in the store.
 *
 * <p>That is told by versions. Each change makes a new one. A {@link Tenure} knows which version
 * its session has put on record and notes it with every job it gets; a job may start if that is not
 * older than the one {@link #declare} answers with. What other threads have learned meanwhile, and
 * the store does not know yet, makes no difference.
 *
 * <p>A class mostly declares one number, so the first one seen of a class with keys is declared for
 * the whole family {@code class/*}. A key that says another number gets one of its own, up to
 * {@value #MOST_OF_THEIR_OWN} of a worker; beyond that the family's number is lowered instead.
 * Where jobs of one group say different numbers, the lowest counts. Thread-safe.
 */
final class Declarations {
  private static final Logger log = LoggerFactory.getLogger(Declarations.class);

  /** Each is in the worker's record, which the store reads whole. */
  static final int MOST_OF_THEIR_OWN = 500;

  private final Map<Group, Integer> limits = new HashMap<>();

  /** By group or family: the version that brought its number. */
  private final Map<Group, Long> since = new HashMap<>();

  private int ownNumbers;
  private Known known;

  /**
   * What is declared.
   *
   * @param version grows with every change
   * @param limits by group or family
   */
  record Known(long version, Map<Group, Integer> limits) {}

  Declarations(Collection<RegisteredTask<?>> tasks) {
    tasks.forEach(
        registered -> registered.task().limits().forEach((g, n) -> limits.merge(g, n, Math::min)));
    known = new Known(0, Map.copyOf(limits));
  }

  /** What is declared now. */
  synchronized Known known() {
    return known;
  }

  /**
   * Declares a limit that a job says its group has. Answers with the version that brought it: a job
   * claimed while an older one was on record was not counted under this limit.
   */
  synchronized long declare(Group group, int limit) {
    Integer own = limits.get(group);
    Group family = group.family().orElse(group);
    Integer common = limits.get(family);
    boolean full = ownNumbers >= MOST_OF_THEIR_OWN;
    if (own != null
        ? own <= limit
        : common != null && (common == limit || full && common < limit)) {
      return since.getOrDefault(own != null ? group : family, 0L);
    }
    if (own != null || common == null) {
      return change(own != null ? group : family, limit);
    }
    if (!full) {
      ownNumbers++;
      return change(group, limit);
    }
    log.warn(
        "More than {} keys of '{}' declare limits of their own; from now on the lowest number seen, {}, holds for all others.",
        MOST_OF_THEIR_OWN,
        family,
        limit);
    return change(family, limit);
  }

  private long change(Group group, int limit) {
    limits.put(group, limit);
    known = new Known(known.version() + 1, Map.copyOf(limits));
    since.put(group, known.version());
    return known.version();
  }
}
