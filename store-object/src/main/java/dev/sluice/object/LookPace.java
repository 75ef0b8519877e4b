package dev.sluice.object;

import java.time.Duration;
import java.util.Optional;

/**
 * How often a worker looks through the inbox: as often as its jobs pay for.
 *
 * <pre>
 *   reports outcomes    at most every 50 ms, however many come
 *   just had work       again after 50, 100, 200 … ms, one look for every 10 outcomes it reported
 *   found nothing       with every poll
 *   … for 60 polls      with every 3rd poll
 *   waits for a slot    every second, however often it looks at the control object
 *   is told of jobs     when it next has nothing to report: its own process submitted them
 * </pre>
 *
 * <p>A list costs as much as a commit. Among many jobs it is worth one, for others are likely to
 * have submitted more meanwhile, and a poll is long; a lone job is better off with the next poll.
 * One thread's own.
 */
final class LookPace {
  static final Duration SHORTEST = Duration.ofMillis(50);
  static final Duration LONGEST = Duration.ofSeconds(1);
  static final int OUTCOMES_PER_LOOK = 10;
  static final int MOST_LOOKS_EARNED = 5;
  static final int IDLE_AFTER = 60;
  static final int IDLE_LOOK_EVERY = 3;

  private long lastLook;
  private boolean everLooked;
  private int earned;
  private int empty;
  private int skipped;

  /**
   * Whether an exchange may look, if it wants more than is known.
   *
   * @param quiet whether it only asks for jobs
   * @param now by a monotonic clock, in nanoseconds
   */
  boolean mayLook(boolean quiet, long now) {
    if (quiet) {
      return empty < IDLE_AFTER || ++skipped % IDLE_LOOK_EVERY == 0;
    }
    return !everLooked || now - lastLook >= SHORTEST.toNanos();
  }

  /** Whether an exchange may look that comes between two polls. */
  boolean mayLookInBetween(long now) {
    return !everLooked || now - lastLook >= LONGEST.toNanos();
  }

  /** An exchange has looked, and ended now. */
  void looked(long now) {
    everLooked = true;
    lastLook = now;
  }

  /** An exchange reported so many outcomes and brought so many jobs. */
  void exchanged(boolean quiet, int outcomes, int jobs) {
    earned = Math.min(earned + outcomes, MOST_LOOKS_EARNED * OUTCOMES_PER_LOOK);
    empty = quiet && jobs == 0 ? empty + 1 : 0;
  }

  /**
   * When to come back for more, if that is to be before the next poll.
   *
   * @param skippedLook whether this exchange would have looked, had it been allowed to
   */
  Optional<Duration> comeBack(boolean skippedLook) {
    if (skippedLook) {
      return Optional.of(SHORTEST);
    }
    if (earned < OUTCOMES_PER_LOOK) {
      return Optional.empty();
    }
    earned -= OUTCOMES_PER_LOOK;
    return Optional.of(SHORTEST.multipliedBy(1L << Math.min(empty, MOST_LOOKS_EARNED)));
  }
}
