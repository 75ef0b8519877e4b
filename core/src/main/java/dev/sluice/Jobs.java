package dev.sluice;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/** The jobs on record: look them up, call them off, try them again. Thread-safe. */
public interface Jobs {
  /** The job of this id, finished or not; empty if there is none or its retention has passed. */
  Optional<JobInfo> get(UUID id);

  /**
   * The jobs that match, newest first, a page at a time. A page may hold fewer jobs than asked for,
   * even none, although more follow: when there are very many jobs and few of them match, it ends
   * where a reasonable effort ended, and {@link Page#next()} goes on from there.
   */
  Page<JobInfo> list(JobQuery query);

  /**
   * How many jobs are in each state; every state is a key. Where there are so many that counting
   * takes its time, who asks often gets figures that are some seconds old.
   */
  Map<JobState, Long> counts();

  /**
   * Calls a job off. One that has not started is cancelled at once; a running one is asked to stop:
   * its handler is interrupted and {@code ctx.cancelled()} turns true, and it is cancelled when the
   * handler ends.
   *
   * @return whether the job was unfinished; false changes nothing
   */
  boolean cancel(UUID id);

  /**
   * Runs a failed or cancelled job again, now; it gets as many attempts as a new job.
   *
   * @return whether the job was failed or cancelled; false changes nothing
   */
  boolean retry(UUID id);

  /**
   * Removes finished jobs that finished longer ago than {@code age}; workers do so by themselves.
   * Returns how many.
   */
  int purge(Duration age);
}
