package dev.sluice.internal;

import dev.sluice.Group;
import dev.sluice.JobInfo;
import dev.sluice.JobQuery;
import dev.sluice.JobState;
import dev.sluice.Page;
import dev.sluice.SluiceListener;
import dev.sluice.spi.JobCatalog;
import dev.sluice.spi.JobStanding;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/**
 * The jobs on record, with listeners that hear when one is called off that no worker had: of the
 * others their workers tell.
 */
final class HeardJobs implements JobCatalog {
  private final JobCatalog jobs;
  private final Audience<SluiceListener> listeners;

  HeardJobs(JobCatalog jobs, Audience<SluiceListener> listeners) {
    this.jobs = jobs;
    this.listeners = listeners;
  }

  @Override
  public boolean cancel(UUID id) {
    Optional<JobInfo> before = jobs.get(id);
    boolean unfinished = jobs.cancel(id);
    if (unfinished) {
      before.ifPresent(job -> tell(List.of(job)));
    }
    return unfinished;
  }

  @Override
  public int cancelAll(Collection<UUID> ids) {
    List<JobInfo> before = ids.isEmpty() ? List.of() : jobs.getAll(ids, Instant.EPOCH);
    int unfinished = jobs.cancelAll(ids);
    if (unfinished > 0) {
      tell(before);
    }
    return unfinished;
  }

  /** Tells of those that no worker had: one that was taken meanwhile is only asked to stop. */
  private void tell(List<JobInfo> before) {
    List<JobInfo> waiting =
        before.stream()
            .filter(job -> !job.state().finished() && job.state() != JobState.RUNNING)
            .toList();
    if (waiting.isEmpty()) {
      return;
    }
    List<UUID> ids = waiting.stream().map(JobInfo::id).toList();
    Map<UUID, JobStanding> after = jobs.standings(ids, Instant.EPOCH);
    for (JobInfo job : waiting) {
      JobStanding standing = after.getOrDefault(job.id(), JobStanding.UNFINISHED);
      if (standing.ended().filter(JobState.CANCELLED::equals).isPresent()) {
        listeners.tell(listener -> listener.onWithdraw(job.task(), job.id()));
      }
    }
  }

  @Override
  public Optional<JobInfo> get(UUID id) {
    return jobs.get(id);
  }

  @Override
  public Page<JobInfo> list(JobQuery query) {
    return jobs.list(query);
  }

  @Override
  public Map<JobState, Long> counts() {
    return jobs.counts();
  }

  @Override
  public boolean retry(UUID id) {
    return jobs.retry(id);
  }

  @Override
  public Map<UUID, JobStanding> standings(Collection<UUID> ids, Instant since) {
    return jobs.standings(ids, since);
  }

  @Override
  public List<JobInfo> getAll(Collection<UUID> ids, Instant since) {
    return jobs.getAll(ids, since);
  }

  @Override
  public int ahead(UUID id, Optional<Group> group, Set<String> tasks, int most) {
    return jobs.ahead(id, group, tasks, most);
  }

  @Override
  public int purge(Duration age, int batch) {
    return jobs.purge(age, batch);
  }

  @Override
  public int purge(Duration age) {
    return jobs.purge(age);
  }
}
