package dev.sluice.spi;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.Group;
import dev.sluice.Task;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Tasks as they are known to a submitter that has a name and no code: with the dimensions whose
 * pointers are on record. What is on record is read at most once in {@link #READ_EVERY}, and only
 * when a task is asked for. Thread-safe.
 */
public final class TasksByName {
  /** For how long what was read counts. */
  public static final Duration READ_EVERY = Duration.ofSeconds(1);

  private final LimitStore limits;
  private final Map<String, Task<JsonNode>> found = new HashMap<>();
  private Map<Group, String> recorded = Map.of();
  private Long readAt;

  /** Those that this store has pointers of. */
  public TasksByName(LimitStore limits) {
    this.limits = limits;
  }

  /** The task of this name. It declares no limit. */
  public synchronized Task<JsonNode> get(String name) {
    long now = System.nanoTime();
    if (readAt == null || now - readAt >= READ_EVERY.toNanos()) {
      found.clear();
      recorded = limits.pointers();
      readAt = now;
    }
    return recorded.keySet().stream().anyMatch(family -> family.plainName().equals(name))
        ? found.computeIfAbsent(name, this::read)
        : Task.byName(name, Map.of());
  }

  private Task<JsonNode> read(String name) {
    return Task.byName(name, PointersOnRecord.of(limits, recorded, Set.of(name)));
  }

  /** Has it read again before it answers. */
  public synchronized void forget() {
    readAt = null;
  }

  /**
   * The job in the groups that the pointers on record put it in besides those it is in, and in
   * place of those of the same dimensions. A job that would be in more than {@link
   * Task#MAX_EXTRA_GROUPS} is left as it is: whether it can run is for the worker that claims it to
   * say.
   *
   * @throws dev.sluice.InvalidRequestException if a value makes no name of a group
   */
  public NewJob filed(NewJob job) {
    List<Group> pointedTo = get(job.task()).groupsIn(job.payload());
    NewJob.Concurrency said = job.concurrency();
    TreeSet<Group> groups = new TreeSet<>(pointedTo);
    said.groups().stream()
        .filter(group -> pointedTo.stream().noneMatch(p -> isOfTheSameFamily(p, group)))
        .forEach(groups::add);
    if (groups.size() > Task.MAX_EXTRA_GROUPS || said.groups().equals(List.copyOf(groups))) {
      return job;
    }
    return new NewJob(
        job.identity(),
        job.task(),
        job.place(),
        job.timing(),
        new NewJob.Concurrency(List.copyOf(groups), said.limited(), said.limit(), said.onLimit()),
        job.payload());
  }

  private static boolean isOfTheSameFamily(Group one, Group other) {
    Optional<Group> family = one.family();
    return family.equals(other.family());
  }
}
