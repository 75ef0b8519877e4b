package dev.sluice;

import dev.sluice.spi.NewJob;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeSet;

/** The groups a new job is in: what its task declares for the payload, then what options add. */
final class Groups {
  private Groups() {}

  /** {@code json} is the payload as it is stored. */
  static <T> NewJob.Concurrency of(Task<T> task, T payload, String json, SubmitOptions options) {
    List<Group> declared = task.groupsOf(payload);
    Map<Group, Integer> limit = task.limitOf(payload);
    Optional<Group> own = limit.keySet().stream().findFirst();
    Group chosen = chosen(task, own, options);
    TreeSet<Group> groups = new TreeSet<>(declared);
    groups.addAll(task.groupsIn(json));
    options.per().forEach((dimension, value) -> addUnlessDeclared(task, groups, dimension, value));
    groups.add(chosen);
    groups.remove(task.group());
    if (groups.size() > Task.MAX_EXTRA_GROUPS) {
      throw new InvalidRequestException(
          "A job of task '%s' would be in %d groups besides its own; at most %d are allowed."
              .formatted(task.name(), groups.size(), Task.MAX_EXTRA_GROUPS));
    }
    boolean bySubmit =
        options.concurrencyLimit().isPresent()
            && own.map(group -> !group.equals(chosen)).orElse(true);
    return new NewJob.Concurrency(
        List.copyOf(groups),
        bySubmit ? Optional.of(chosen) : own,
        bySubmit || own.isEmpty()
            ? options.concurrencyLimit()
            : OptionalInt.of(limit.get(own.get())),
        options.onLimit());
  }

  /**
   * The group that options speak of: unless they name one, that of a limit the payload declares.
   */
  private static Group chosen(Task<?> task, Optional<Group> own, SubmitOptions options) {
    if (options.concurrencyGroup().isEmpty() && options.concurrencyKey().isEmpty()) {
      return own.orElse(task.group());
    }
    Group base = options.concurrencyGroup().map(Group::of).orElse(task.group());
    return options.concurrencyKey().isEmpty() ? base : base.key(options.concurrencyKey());
  }

  /** What the task says about the payload counts before what the submitter says. */
  private static void addUnlessDeclared(
      Task<?> task, TreeSet<Group> groups, String dimension, String value) {
    Group group = task.group().dimension(dimension, value);
    if (groups.stream().noneMatch(declared -> declared.family().equals(group.family()))) {
      groups.add(group);
    }
  }
}
