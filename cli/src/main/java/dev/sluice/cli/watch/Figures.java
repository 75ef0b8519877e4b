package dev.sluice.cli.watch;

import dev.sluice.WorkerBulletin;
import dev.sluice.WorkerBulletin.GroupTally;
import dev.sluice.WorkerBulletin.TaskTally;
import dev.sluice.WorkerInfo;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * What all workers did between two looks at them. Each worker's numbers are divided by the time
 * between its own two bulletins, so that it does not matter when we looked; a worker that was not
 * there before, or says nothing new, adds nothing. Not thread-safe.
 */
public final class Figures {
  /**
   * What became of the jobs of a task.
   *
   * @param started attempts started per second
   * @param succeeded jobs that succeeded, per second
   * @param failed jobs that failed for good, per second
   * @param retried attempts that failed and are tried again, per second
   * @param mean how long a recent attempt took, on average over the workers; empty = none ended
   */
  public record TaskFigures(
      double started, double succeeded, double failed, double retried, Optional<Duration> mean) {}

  /**
   * What happened at a group.
   *
   * @param acquired slots got per second
   * @param rejected refusals per second: work was found and no slot, or a submit or permit was
   *     refused
   * @param waits how long jobs waited for their slot
   */
  public record GroupFigures(double acquired, double rejected, Waits waits) {}

  private static final class TaskSums {
    private double started;
    private double succeeded;
    private double failed;
    private double retried;
    private long ended;
    private double seconds;
  }

  private static final TaskTally NO_TASK =
      new TaskTally(0, 0, 0, 0, 0, new WorkerBulletin.Times(0, 0), WorkerBulletin.Lately.NONE);
  private static final GroupTally NO_GROUP = new GroupTally(0, 0, List.of());

  private final Map<String, TaskSums> tasks = new TreeMap<>();
  private final Map<String, GroupFigures> groups = new HashMap<>();

  private Figures() {}

  /** What was done from the first look to the second. */
  public static Figures between(List<WorkerInfo> before, List<WorkerInfo> after) {
    Map<String, WorkerBulletin> known = new HashMap<>();
    before.forEach(worker -> worker.bulletin().ifPresent(b -> known.put(worker.id(), b)));
    Figures figures = new Figures();
    for (WorkerInfo worker : after) {
      worker.bulletin().ifPresent(now -> figures.add(known.get(worker.id()), now));
    }
    return figures;
  }

  private void add(WorkerBulletin before, WorkerBulletin now) {
    if (before == null || !before.since().equals(now.since()) || !now.at().isAfter(before.at())) {
      return;
    }
    double seconds = Duration.between(before.at(), now.at()).toNanos() / 1e9;
    Map<String, TaskTally> tasksBefore = before.tally().tasks();
    now.tally()
        .tasks()
        .forEach(
            (task, tally) ->
                baseline(task, tasksBefore, now.tally().tasks(), NO_TASK)
                    .ifPresent(from -> addTask(task, from, tally, seconds)));
    Map<String, GroupTally> groupsBefore = before.tally().groups();
    now.tally()
        .groups()
        .forEach(
            (group, tally) ->
                baseline(group, groupsBefore, now.tally().groups(), NO_GROUP)
                    .ifPresent(from -> addGroup(group, from, tally, seconds)));
  }

  /**
   * What a line is to be compared with; empty = nothing yet. A bulletin has a line for each of the
   * busiest and one for all others together. A name that comes out of the others brings along all
   * that it ever did, and leaves the others with less: neither happened just now.
   */
  private static <T> Optional<T> baseline(
      String name, Map<String, T> before, Map<String, T> now, T nothing) {
    if (name.equals(WorkerBulletin.OTHER) && !named(before).equals(named(now))) {
      return Optional.empty();
    }
    return before.containsKey(WorkerBulletin.OTHER)
        ? Optional.ofNullable(before.get(name))
        : Optional.of(before.getOrDefault(name, nothing));
  }

  private static Set<String> named(Map<String, ?> lines) {
    Set<String> names = new HashSet<>(lines.keySet());
    names.remove(WorkerBulletin.OTHER);
    return names;
  }

  private void addTask(String task, TaskTally from, TaskTally now, double seconds) {
    TaskSums sums = tasks.computeIfAbsent(task, name -> new TaskSums());
    sums.started += grown(from.started(), now.started()) / seconds;
    sums.succeeded += grown(from.succeeded(), now.succeeded()) / seconds;
    sums.failed += grown(from.failed(), now.failed()) / seconds;
    sums.retried += grown(from.retried(), now.retried()) / seconds;
    // Not the total over these: it has the time of cancelled attempts in it too, and how many of
    // the cancelled ever ran is not told.
    long ended =
        grown(from.succeeded(), now.succeeded())
            + grown(from.failed(), now.failed())
            + grown(from.retried(), now.retried());
    sums.ended += ended;
    sums.seconds += ended * now.times().recent();
  }

  private void addGroup(String group, GroupTally from, GroupTally now, double seconds) {
    GroupFigures figures =
        new GroupFigures(
            grown(from.acquired(), now.acquired()) / seconds,
            grown(from.rejected(), now.rejected()) / seconds,
            new Waits(now.waits()).minus(new Waits(from.waits())));
    groups.merge(
        group,
        figures,
        (a, b) ->
            new GroupFigures(
                a.acquired + b.acquired, a.rejected + b.rejected, a.waits.plus(b.waits)));
  }

  /** A count never falls by itself; if it does, it is not worth an error on the screen. */
  private static long grown(long from, long to) {
    return Math.max(0, to - from);
  }

  /** By task, in the order of their names. */
  public Map<String, TaskFigures> tasks() {
    Map<String, TaskFigures> figures = new TreeMap<>();
    tasks.forEach(
        (task, sums) ->
            figures.put(
                task,
                new TaskFigures(
                    sums.started,
                    sums.succeeded,
                    sums.failed,
                    sums.retried,
                    sums.ended == 0
                        ? Optional.empty()
                        : Optional.of(
                            Duration.ofNanos(Math.round(sums.seconds / sums.ended * 1e9))))));
    return figures;
  }

  /** Of a group by its canonical name; empty = nothing is known of it by itself. */
  public Optional<GroupFigures> group(String group) {
    return Optional.ofNullable(groups.get(group));
  }

  /** Of all tasks together; a mean over all of them would say nothing. */
  public TaskFigures total() {
    TaskSums sum = new TaskSums();
    tasks
        .values()
        .forEach(
            one -> {
              sum.started += one.started;
              sum.succeeded += one.succeeded;
              sum.failed += one.failed;
              sum.retried += one.retried;
            });
    return new TaskFigures(sum.started, sum.succeeded, sum.failed, sum.retried, Optional.empty());
  }
}
