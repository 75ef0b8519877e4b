package dev.sluice.object;

import dev.sluice.Group;
import dev.sluice.JobInfo;
import dev.sluice.JobQuery;
import dev.sluice.JobState;
import dev.sluice.Page;
import dev.sluice.SluiceException;
import dev.sluice.StoreIncompatibleException;
import dev.sluice.StoreUnavailableException;
import dev.sluice.object.state.PlaceInLine.Rank;
import dev.sluice.spi.JobCatalog;
import dev.sluice.spi.JobStanding;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * The jobs of several shards. An id does not say which shard has the job, so each is asked, and one
 * in trouble only matters if the others do not have it.
 */
final class ShardedJobCatalog implements JobCatalog {
  private final List<ObjectJobStore> shards;

  ShardedJobCatalog(List<ObjectJobStore> shards) {
    this.shards = shards;
  }

  @Override
  public Optional<JobInfo> get(UUID id) {
    return untilFound(shard -> shard.get(id), Optional::isPresent).orElse(Optional.empty());
  }

  private <T> Optional<T> untilFound(Function<JobCatalog, T> ask, Predicate<T> found) {
    SluiceException trouble = null;
    for (ObjectJobStore shard : shards) {
      try {
        T answer = ask.apply(shard.jobs());
        if (found.test(answer)) {
          return Optional.of(answer);
        }
      } catch (StoreUnavailableException | StoreIncompatibleException e) {
        trouble = e;
      }
    }
    if (trouble != null) {
      throw trouble;
    }
    return Optional.empty();
  }

  @Override
  public Map<UUID, JobStanding> standings(Collection<UUID> ids, Instant since) {
    Map<UUID, JobStanding> found = new HashMap<>();
    shards.forEach(shard -> found.putAll(shard.jobs().standings(ids, since)));
    return found;
  }

  @Override
  public List<JobInfo> getAll(Collection<UUID> ids, Instant since) {
    return shards.stream().flatMap(shard -> shard.jobs().getAll(ids, since).stream()).toList();
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
    return untilFound(shard -> shard.cancel(id), cancelled -> cancelled).isPresent();
  }

  @Override
  public int cancelAll(Collection<UUID> ids) {
    return shards.stream().mapToInt(shard -> shard.jobs().cancelAll(ids)).sum();
  }

  @Override
  public boolean retry(UUID id) {
    return untilFound(shard -> shard.retry(id), retried -> retried).isPresent();
  }

  @Override
  public int purge(Duration age, int batch) {
    int[] removed = new int[1];
    untilFound(shard -> removed[0] += shard.purge(age, batch - removed[0]), sum -> sum >= batch);
    return removed[0];
  }

  @Override
  public int ahead(UUID id, Optional<Group> group, Set<String> tasks, int most) {
    Optional<Rank> rank =
        shards.stream().flatMap(shard -> shard.jobs().rank(id).stream()).findFirst();
    int ahead = 0;
    for (ObjectJobStore shard : rank.isEmpty() ? List.<ObjectJobStore>of() : shards) {
      ahead += shard.jobs().ahead(rank.get(), group, tasks, most - ahead);
    }
    return ahead;
  }
}
