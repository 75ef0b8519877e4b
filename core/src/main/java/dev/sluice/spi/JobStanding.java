package dev.sluice.spi;

import dev.sluice.JobState;
import java.time.Instant;
import java.util.Optional;

/**
 * Whether a job has ended, and how.
 *
 * @param ended how it ended; empty = it has not: it is scheduled, ready, waiting or running
 * @param finishedAt when it ended, by the store's clock
 * @param failure the message of its last failed attempt, if it failed
 */
public record JobStanding(
    Optional<JobState> ended, Optional<Instant> finishedAt, Optional<String> failure) {
  /** It exists and has not ended. */
  public static final JobStanding UNFINISHED =
      new JobStanding(Optional.empty(), Optional.empty(), Optional.empty());
}
