package dev.sluice.spi;

import dev.sluice.Group;
import dev.sluice.JobInfo;
import dev.sluice.Jobs;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
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
   * How many due jobs that have not started would be claimed before this one, counted up to {@code
   * most}: those with a higher priority, or the same and due earlier, or a smaller id. Where very
   * many jobs would have to be read for that, the count may be too low.
   *
   * @param group counts only jobs in this group, in whatever queue and of whatever task; empty =
   *     the jobs of its queue that could be claimed now: of {@code tasks}, and no more than there
   *     is room for in their limited groups, so that none counts which a claim would pass over
   * @param tasks the tasks that the workers handle which could run this job
   * @return 0 if there is no such job
   */
  int ahead(UUID id, Optional<Group> group, Set<String> tasks, int most);

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
