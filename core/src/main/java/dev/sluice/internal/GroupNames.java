package dev.sluice.internal;

import dev.sluice.Group;
import dev.sluice.JobQuery;
import dev.sluice.Spelling;
import dev.sluice.UnusedGroup;
import dev.sluice.spi.JobStore;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** The names of groups, families and tasks that are on record in a store. */
public final class GroupNames {
  private final JobStore store;

  public GroupNames(JobStore store) {
    this.store = store;
  }

  /** What is to be said of a group that nothing has used; empty if something has. */
  public Optional<UnusedGroup> unused(Group group) {
    Set<Group> known = known();
    return known.contains(group) || hasJobs(group)
        ? Optional.empty()
        : Optional.of(
            new UnusedGroup(
                group,
                Spelling.nearest(
                    group.toString(),
                    known.stream().map(Group::toString).collect(Collectors.toSet()))));
  }

  /** Groups with a limit or a held slot, their families, and the tasks of live workers. */
  private Set<Group> known() {
    Set<Group> known = new TreeSet<>();
    for (Group group : store.limits().groups()) {
      known.add(group);
      group.family().ifPresent(known::add);
    }
    store.workers().list().stream()
        .flatMap(worker -> worker.tasks().stream())
        .map(Group::of)
        .forEach(known::add);
    return known;
  }

  private boolean hasJobs(Group group) {
    if (group.isFamily()) {
      return false;
    }
    JobQuery one = JobQuery.ALL.limit(1);
    return exists(one.group(group))
        || group.equals(group.plain()) && exists(one.task(group.plainName()));
  }

  private boolean exists(JobQuery query) {
    return !store.jobs().list(query).items().isEmpty();
  }
}
