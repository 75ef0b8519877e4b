package dev.sluice.object.state;

import dev.sluice.JobFailure;
import dev.sluice.JobState;
import java.util.UUID;

/**
 * A job that ended and is not archived yet.
 *
 * @param id its id
 * @param place where its record is
 * @param run its last run
 * @param end how it ended
 */
public record FinishedJob(UUID id, JobPlace place, Run run, End end) {
  /**
   * The last run of a job.
   *
   * @param attempt how many attempts have started
   * @param worker who ran it, or null
   * @param startedAt when, or null
   * @param due when it was due
   * @param note the latest progress, or null
   * @param heldBackBy the group that was last found full in front of it, or null
   */
  public record Run(
      int attempt, String worker, Long startedAt, long due, String note, String heldBackBy) {}

  /**
   * How a job ended.
   *
   * @param state one of the finished states
   * @param at when
   * @param result JSON text, or null
   * @param failure what the last attempt threw, or null
   */
  public record End(JobState state, long at, String result, JobFailure failure) {}

  /** The record to keep of it. */
  public JobRecord record(JobRecord before) {
    JobRecord.Past past = before.past();
    JobRecord.Past then =
        new JobRecord.Past(run.attempt, past.failures(), run.worker, run.startedAt, run.heldBackBy);
    return before.again(end.failure == null ? then : then.with(end.failure), run.due);
  }
}
