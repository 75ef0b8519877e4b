package dev.sluice.postgres;

import java.time.Duration;

/**
 * How long a worker waits before it looks again for jobs that other claims had locked, or of which
 * a slot is about to come free. Such a claim takes the jobs or leaves them within milliseconds, and
 * so does a slot come free; workers that look all the time would keep the server from it. The
 * second look follows at once, the pauses after it double. A worker that is woken does not wait.
 * Used by one thread.
 */
final class VainLooks {
  static final Duration SHORTEST_PAUSE = Duration.ofMillis(4);
  static final Duration LONGEST_PAUSE = Duration.ofMillis(50);

  /** After so many, some 200 milliseconds, jobs of full groups are there to stay. */
  private static final int LASTING = 8;

  private int looks;
  private int atFullGroups;

  /** Whether jobs of full groups have been in the way for a while. */
  boolean last() {
    return atFullGroups >= LASTING;
  }

  /**
   * Notes a look; answers with the pause until the next one.
   *
   * @param full whether a full group kept jobs from it
   */
  Duration pauseAfter(boolean vain, boolean full) {
    looks = vain ? looks + 1 : 0;
    atFullGroups = !vain ? 0 : full ? atFullGroups + 1 : atFullGroups;
    if (looks < 2) {
      return Duration.ZERO;
    }
    Duration pause = SHORTEST_PAUSE.multipliedBy(1L << Math.min(looks - 2, 10));
    return pause.compareTo(LONGEST_PAUSE) < 0 ? pause : LONGEST_PAUSE;
  }
}
