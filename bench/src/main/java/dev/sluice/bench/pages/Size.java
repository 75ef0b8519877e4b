package dev.sluice.bench.pages;

import dev.sluice.InvalidRequestException;

/**
 * How much there is on record while pages are timed.
 *
 * @param jobs unfinished jobs
 * @param finished finished jobs
 * @param groups keyed groups, each with a limit of its own
 */
public record Size(int jobs, int finished, int groups) {
  /** Fewer would not show every kind of job. */
  private static final int FEWEST_JOBS = 1_000;

  /** So many jobs go through all groups in turn, as a part of all. */
  private static final int JOBS_PER_GROUP = 5;

  /** Checks that every group can have a job. */
  public Size {
    if (jobs < FEWEST_JOBS || finished < 1 || groups < 1) {
      throw new InvalidRequestException(
          "--jobs is at least %,d, --finished and --groups at least 1.".formatted(FEWEST_JOBS));
    }
    if (groups > jobs / JOBS_PER_GROUP) {
      throw new InvalidRequestException(
          "%,d groups need at least %,d jobs, or some would have none."
              .formatted(groups, (long) groups * JOBS_PER_GROUP));
    }
  }

  @Override
  public String toString() {
    return "%,d unfinished and %,d finished jobs, %,d groups".formatted(jobs, finished, groups);
  }
}
