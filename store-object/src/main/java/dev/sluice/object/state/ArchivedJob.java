package dev.sluice.object.state;

import dev.sluice.JobState;

/**
 * A finished job as the archive keeps it.
 *
 * @param record the job, with the failures of all its attempts
 * @param state how it ended
 * @param finishedAt when
 * @param result JSON text, or null
 * @param note the latest progress, or null
 */
public record ArchivedJob(
    JobRecord record, JobState state, long finishedAt, String result, String note) {

  /** What the archive keeps of this job. */
  public static ArchivedJob of(FinishedJob job, JobRecord before) {
    return new ArchivedJob(
        job.record(before),
        job.end().state(),
        job.end().at(),
        job.end().result(),
        job.run().note());
  }
}
