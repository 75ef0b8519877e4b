package dev.sluice.internal;

import dev.sluice.Alert;
import dev.sluice.Alert.Kind;
import dev.sluice.Alert.Place;
import dev.sluice.AlertThresholds;
import dev.sluice.Group;
import dev.sluice.GroupSummary;
import dev.sluice.Queues.DueJobs;
import dev.sluice.Queues.QueueInfo;
import dev.sluice.WorkerBulletin;
import dev.sluice.WorkerBulletin.Lately;
import dev.sluice.WorkerInfo;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Finds alerts in what was observed. A pure function: the server, {@code sluice doctor} and the
 * metrics raise the same alerts because all of them ask here.
 *
 * <p>Each waiting job is raised once, by the first reason that applies: no worker is alive; no
 * worker serves its queue; no worker of its queue handles its task; it waits too long all the same.
 * The jobs of a paused queue need no worker, so only the last applies to them.
 */
public final class AlertFinder {
  private static final Comparator<Alert> WORST_FIRST =
      Comparator.comparing(Alert::kind)
          .thenComparing(alert -> alert.age().orElse(Duration.ZERO), Comparator.reverseOrder())
          .thenComparing(Alert::jobs, Comparator.reverseOrder())
          .thenComparing(Alert::seen);

  private final Alert.Observed observed;
  private final AlertThresholds thresholds;
  private final List<WorkerInfo> live;
  private final List<Alert> alerts = new ArrayList<>();

  /** Will look at this. */
  public AlertFinder(Alert.Observed observed, AlertThresholds thresholds) {
    this.observed = observed;
    this.thresholds = thresholds;
    live = observed.workers().stream().filter(worker -> worker.lease().alive()).toList();
  }

  /** What is to be raised, the worst first. */
  public List<Alert> find() {
    if (live.isEmpty()) {
      noWorker();
    }
    for (QueueInfo queue : observed.queues()) {
      Map<String, DueJobs> waiting = new TreeMap<>(queue.due());
      if (!queue.paused()) {
        unserved(queue.name(), waiting);
      }
      longWait(queue, waiting);
    }
    failing();
    if (thresholds.heldGroups()) {
      observed.heldGroups().forEach(this::held);
    }
    return alerts.stream().sorted(WORST_FIRST).limit(Alert.MOST).toList();
  }

  private void noWorker() {
    observed.queues().stream()
        .filter(queue -> !queue.paused())
        .flatMap(queue -> overdue(queue.due(), thresholds.unserved()).values().stream())
        .reduce(DueJobs::plus)
        .ifPresent(
            due ->
                raise(
                    Kind.NO_WORKER,
                    NOWHERE,
                    due,
                    "no worker is alive, and %s due, the oldest for %s"
                        .formatted(jobs(due), age(due)),
                    "Start a worker that handles them."));
  }

  /** Raises what no live worker serves, and takes it out of what waits. */
  private void unserved(String queue, Map<String, DueJobs> waiting) {
    List<WorkerInfo> serving =
        live.stream()
            .filter(worker -> worker.queues().contains(queue))
            .filter(worker -> worker.bulletin().map(b -> !b.load().draining()).orElse(true))
            .toList();
    Map<String, DueJobs> overdue = overdue(waiting, thresholds.unserved());
    serving.forEach(worker -> overdue.keySet().removeAll(worker.tasks()));
    waiting.keySet().removeAll(overdue.keySet());
    if (live.isEmpty() || overdue.isEmpty()) {
      return;
    }
    if (serving.isEmpty()) {
      DueJobs all = overdue.values().stream().reduce(DueJobs::plus).orElseThrow();
      raise(
          Kind.UNSERVED,
          place(queue, Optional.empty()),
          all,
          "%s due in the queue '%s', the oldest for %s, and no live worker serves the queue"
              .formatted(jobs(all), queue, age(all)),
          "Start a worker with --queue %s.".formatted(queue));
      return;
    }
    overdue.forEach(
        (task, due) ->
            raise(
                Kind.UNSERVED,
                place(queue, Optional.of(task)),
                due,
                "%s due in the queue '%s' for the task '%s', the oldest for %s, and no live worker of the queue handles the task"
                    .formatted(jobs(due), queue, task, age(due)),
                "Start a worker that has a handler for the task, or cancel the jobs."));
  }

  private void longWait(QueueInfo queue, Map<String, DueJobs> waiting) {
    overdue(waiting, thresholds.waiting()).entrySet().stream()
        .min(Comparator.comparing(entry -> entry.getValue().oldest()))
        .ifPresent(
            oldest ->
                raise(
                    Kind.LONG_WAIT,
                    place(queue.name(), Optional.of(oldest.getKey())),
                    new DueJobs(queue.ready(), oldest.getValue().oldest()),
                    "%s due in the queue '%s'%s, the oldest, of the task '%s', for %s"
                        .formatted(
                            jobs(queue.ready()),
                            queue.name(),
                            queue.paused() ? ", which is paused" : "",
                            oldest.getKey(),
                            age(oldest.getValue())),
                    queue.paused()
                        ? "Resume the queue: sluice queues resume %s.".formatted(queue.name())
                        : "'sluice why JOB' says what the oldest waits for; start more workers or raise the limit."));
  }

  private void failing() {
    Map<String, Lately> byTask = new HashMap<>();
    for (WorkerInfo worker : live) {
      worker
          .bulletin()
          .ifPresent(
              bulletin ->
                  bulletin
                      .tally()
                      .tasks()
                      .forEach((task, tally) -> byTask.merge(task, tally.lately(), Lately::plus)));
    }
    byTask.remove(WorkerBulletin.OTHER);
    byTask.forEach(
        (task, lately) -> {
          if (lately.attempts() >= thresholds.failureAttempts()
              && lately.failures() > thresholds.failureShare() * lately.attempts()) {
            alerts.add(
                new Alert(
                    Kind.TASK_FAILING,
                    new Place(Optional.empty(), Optional.of(task), Optional.empty()),
                    lately.failures(),
                    Optional.empty(),
                    "%,d of %,d attempts of the task '%s' failed in the last ten minutes"
                        .formatted(lately.failures(), lately.attempts(), task),
                    "The jobs' errors say why; 'sluice jobs list --task %s' lists the jobs."
                        .formatted(task)));
          }
        });
  }

  private void held(GroupSummary summary) {
    Group group = summary.group();
    String waiting =
        summary.waiting() == 0 ? "" : ", and %s waiting in it".formatted(jobs(summary.waiting()));
    alerts.add(
        new Alert(
            Kind.GROUP_HELD,
            new Place(Optional.empty(), Optional.empty(), Optional.of(group)),
            summary.waiting(),
            Optional.empty(),
            group.isFamily()
                ? "every group of '%s' is held: its limit is 0".formatted(group)
                : "the group '%s' is held: its limit is 0%s".formatted(group, waiting),
            "Set another limit when the group may go on: sluice concurrency set %s --limit N."
                .formatted(group)));
  }

  private static final Place NOWHERE =
      new Place(Optional.empty(), Optional.empty(), Optional.empty());

  private static Place place(String queue, Optional<String> task) {
    return new Place(Optional.of(queue), task, Optional.empty());
  }

  private void raise(Kind kind, Place place, DueJobs due, String seen, String remedy) {
    alerts.add(new Alert(kind, place, due.jobs(), Optional.of(waited(due)), seen, remedy));
  }

  /** The tasks whose oldest job has been due for longer. */
  private Map<String, DueJobs> overdue(Map<String, DueJobs> due, Duration threshold) {
    Map<String, DueJobs> overdue = new TreeMap<>(due);
    overdue.values().removeIf(jobs -> waited(jobs).compareTo(threshold) <= 0);
    return overdue;
  }

  private Duration waited(DueJobs due) {
    Duration waited = Duration.between(due.oldest(), observed.now());
    return waited.isNegative() ? Duration.ZERO : waited;
  }

  /** As precise as anybody reads it. */
  private String age(DueJobs due) {
    Duration waited = waited(due);
    ChronoUnit unit =
        Stream.of(ChronoUnit.DAYS, ChronoUnit.HOURS)
            .filter(larger -> waited.compareTo(larger.getDuration()) >= 0)
            .map(larger -> larger == ChronoUnit.DAYS ? ChronoUnit.HOURS : ChronoUnit.MINUTES)
            .findFirst()
            .orElse(ChronoUnit.SECONDS);
    return Durations.format(waited.truncatedTo(unit));
  }

  private static String jobs(DueJobs due) {
    return jobs(due.jobs());
  }

  private static String jobs(long jobs) {
    return jobs == 1 ? "1 job is" : "%,d jobs are".formatted(jobs);
  }
}
