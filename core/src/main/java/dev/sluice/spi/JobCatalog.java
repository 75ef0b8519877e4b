package dev.sluice.spi;

import dev.sluice.JobInfo;
import dev.sluice.Jobs;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** The jobs on record; what {@link Jobs} offers users, and the cleaner's batch. */
public interface JobCatalog extends Jobs {
  /**
   * Which of these jobs exist, and how those ended that have: all in one look, so it is one state
   * of the store. Jobs that are not on record are left out.
   *
   * @param since what was submitted before this moment may be left out too
   */
  Map<UUID, JobStanding> standings(Collection<UUID> ids, Instant since);

  /**
   * These jobs with all that is on record, results included, in no particular order.
   *
   * @param since what was submitted before this moment may be left out
   */
  List<JobInfo> getAll(Collection<UUID> ids, Instant since);

  /**
   * Cancels these jobs, each as {@link Jobs#cancel} would, in few round trips.
   *
   * @return how many of them had not finished
   */
  int cancelAll(Collection<UUID> ids);

  /**
   * Removes up to {@code batch} jobs that finished longer ago than {@code age}, oldest first;
   * returns how many. For a job of a run, the run counts: it goes when the run has ended that long
   * ago, or is not on record any more.
   */
  int purge(Duration age, int batch);

  @Override
  default int purge(Duration age) {
    int removed = 0;
    for (int last = -1; last != 0; removed += last) {
      last = purge(age, 5_000);
    }
    return removed;
  }
}
