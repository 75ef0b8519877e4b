package dev.sluice.internal;

import dev.sluice.Group;
import dev.sluice.PermanentFailure;
import dev.sluice.Task;
import dev.sluice.spi.ClaimedJob;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sees to it that a job runs only in the groups its task declares for its payload, or that are
 * declared for its task elsewhere (see {@link WorkerPointers}), and under the limit its class
 * declares, whatever submitted it: a command line, a schedule, an older version of the code.
 *
 * <p>A job that lacks one of these groups is not started. It is <em>filed anew</em>: it goes back
 * to its place in line, in the right groups. What the task declares replaces what the submitter
 * said about the same dimension; other groups stay. A job that was filed anew before only ever
 * gains groups, so two versions of the code that disagree end up with the groups of both, and a
 * dimension that never says the same twice fills the job's groups. A job that has no room for all
 * its groups fails with the reason: it never runs outside one of them.
 *
 * <p>A job that is in the right groups, and was claimed before the limit of its class was on
 * record, is handed back: see {@link Declarations}. Thread-safe.
 */
final class Filing {
  private static final Logger log = LoggerFactory.getLogger(Filing.class);

  private final Declarations declarations;
  private final WorkerPointers pointers;
  private final Set<String> told = ConcurrentHashMap.newKeySet();

  Filing(Declarations declarations, WorkerPointers pointers) {
    this.declarations = declarations;
    this.pointers = pointers;
  }

  /** Whether jobs of this task are to be looked at before they start. */
  boolean concerns(Task<?> task) {
    return task.isDeclarative() || !pointers.of(task.name()).isEmpty();
  }

  /**
   * How a job with this payload ends instead of being started; empty = it may start.
   *
   * @param declared the version of the declarations that was on record when it was claimed
   */
  <T> Optional<Ending> obstacle(Task<T> task, T payload, ClaimedJob job, long declared) {
    List<Group> groups = new ArrayList<>(task.groupsOf(payload));
    groups.addAll(pointers.of(task.name()).groupsIn(job.payload()));
    for (Group group : groups) {
      if (!job.bond().has(group.toString())) {
        return Optional.of(misfiled(job, groups));
      }
    }
    for (Map.Entry<Group, Integer> limit : task.limitOf(payload).entrySet()) {
      long since = declarations.declare(limit.getKey(), limit.getValue());
      if (declared < since || !job.bond().limited().contains(limit.getKey().toString())) {
        return Optional.of(Ending.HANDED_BACK);
      }
    }
    return Optional.empty();
  }

  private Ending misfiled(ClaimedJob job, List<Group> declared) {
    boolean again = job.bond().refiled();
    Group own = Group.of(job.task());
    TreeSet<Group> groups = new TreeSet<>(declared);
    Stream.concat(job.bond().limited().stream(), job.bond().others().stream())
        .map(Group::parse)
        .filter(group -> !group.equals(own))
        .filter(group -> again || !isSaidBy(declared, group))
        .forEach(groups::add);
    if (groups.size() > Task.MAX_EXTRA_GROUPS) {
      List<Group> already =
          groups.stream().filter(group -> job.bond().has(group.toString())).toList();
      return Ending.failed(noRoom(job, declared, already));
    }
    if (told.add(job.task())) {
      log.warn(
          "Job {} of task '{}' was submitted without the groups that the task declares for it and is filed anew under {}; so are others like it, which is not logged again. Have the submitter say them: per(dimension, value), --per or 'per'.",
          job.id(),
          job.task(),
          groups);
    }
    return Ending.refiled(List.copyOf(groups));
  }

  private static PermanentFailure noRoom(
      ClaimedJob job, List<Group> declared, List<Group> already) {
    String what =
        "The task '%s' declares the groups %s for the payload of this job, which is in %s already, and a job is in at most %d besides its task's own. "
            .formatted(job.task(), declared, already, Task.MAX_EXTRA_GROUPS);
    return new PermanentFailure(
        what
            + (job.bond().refiled()
                ? "It was filed anew before: a dimension has to say the same for the same payload each time, in every version of the code that runs."
                : "Submit it into fewer groups of your own."));
  }

  /** Whether what is declared says something about the same dimension, or the same kind of key. */
  private static boolean isSaidBy(List<Group> declared, Group group) {
    return declared.stream().anyMatch(said -> said.family().equals(group.family()));
  }
}
