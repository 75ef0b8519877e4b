package dev.sluice.object;

import dev.sluice.JobInfo;
import dev.sluice.JobQuery;
import dev.sluice.JobState;
import dev.sluice.Page;
import dev.sluice.spi.JobCatalog;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/** The jobs of several shards. An id does not say which shard has the job, so each is asked. */
final class ShardedJobCatalog implements JobCatalog {
  private final List<ObjectJobStore> shards;

  ShardedJobCatalog(List<ObjectJobStore> shards) {
    this.shards = shards;
  }

  @Override
  public Optional<JobInfo> get(UUID id) {
    return shards.stream().flatMap(shard -> shard.jobs().get(id).stream()).findFirst();
  }

  /** A cursor is the id that a page ended with, and means the same in every shard. */
  @Override
  public Page<JobInfo> list(JobQuery query) {
    List<JobInfo> found = new ArrayList<>();
    boolean more = false;
    for (ObjectJobStore shard : shards) {
      Page<JobInfo> page = shard.jobs().list(query);
      found.addAll(page.items());
      more |= page.next().isPresent();
    }
    found.sort(Comparator.comparing((JobInfo job) -> job.id().toString()).reversed());
    if (found.size() <= query.limit() && !more) {
      return new Page<>(List.copyOf(found), Optional.empty());
    }
    List<JobInfo> items = List.copyOf(found.subList(0, Math.min(found.size(), query.limit())));
    return new Page<>(items, Optional.of(items.get(items.size() - 1).id().toString()));
  }

  @Override
  public Map<JobState, Long> counts() {
    Map<JobState, Long> counts = new EnumMap<>(JobState.class);
    for (ObjectJobStore shard : shards) {
      shard.jobs().counts().forEach((state, jobs) -> counts.merge(state, jobs, Long::sum));
    }
    return counts;
  }

  @Override
  public boolean cancel(UUID id) {
    return shards.stream().anyMatch(shard -> shard.jobs().cancel(id));
  }

  @Override
  public boolean retry(UUID id) {
    return shards.stream().anyMatch(shard -> shard.jobs().retry(id));
  }

  @Override
  public int purge(Duration age, int batch) {
    int removed = 0;
    for (ObjectJobStore shard : shards) {
      removed += removed < batch ? shard.jobs().purge(age, batch - removed) : 0;
    }
    return removed;
  }
}
