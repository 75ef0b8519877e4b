package dev.sluice;

import java.util.UUID;

/**
 * What became of a submit: exactly one of {@link Submitted}, {@link Duplicate} and {@link
 * Rejected}.
 */
public sealed interface Submission {
  /** The job is stored under this id. */
  record Submitted(UUID id) implements Submission {}

  /**
   * An unfinished job with the same dedupe key (or any job with the same explicit id) is there
   * already: this one.
   */
  record Duplicate(UUID id) implements Submission {}

  /** The group had no room and the submit said {@link OnLimit#REJECT}; nothing was stored. */
  record Rejected(Group group, int limit, int count) implements Submission {
    /** The machine-readable reason. */
    public static final String REASON = "ConcurrencyLimitReached";
  }

  /** Whether a new job was stored. */
  default boolean accepted() {
    return this instanceof Submitted;
  }

  /**
   * The id of the job that stands for this submit: the new one or the one it duplicates.
   *
   * @throws LimitReachedException if it was rejected
   */
  default UUID id() {
    if (this instanceof Submitted submitted) {
      return submitted.id;
    } else if (this instanceof Duplicate duplicate) {
      return duplicate.id;
    }
    Rejected rejected = (Rejected) this;
    throw new LimitReachedException(
        "%s: the group '%s' has %d pending or running jobs at a limit of %d."
            .formatted(Rejected.REASON, rejected.group, rejected.count, rejected.limit));
  }
}
