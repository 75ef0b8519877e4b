package dev.sluice;

import dev.sluice.Queues.QueueInfo;
import dev.sluice.internal.AlertFinder;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Something that keeps jobs from getting done, for operators; see {@link Sluice#alerts}. Nothing is
 * decided from an alert.
 *
 * @param kind what it is
 * @param place the queue, task or group it is about
 * @param jobs how many jobs it is about: due ones that have not started, or attempts that failed
 * @param age how long the oldest of those jobs has been due; empty = not about waiting
 * @param seen what was seen, as a sentence
 * @param remedy what to do
 */
public record Alert(
    Kind kind, Place place, long jobs, Optional<Duration> age, String seen, String remedy) {
  /** How many alerts are raised at most; the first kinds go first, and of a kind the worst. */
  public static final int MOST = 100;

  /** The kinds of alerts, the worst first. */
  public enum Kind {
    /** Jobs are due and no worker is alive. */
    NO_WORKER,
    /** Jobs are due and no live worker serves their queue, or none has a handler for their task. */
    UNSERVED,
    /** More of a task's recent attempts fail than may. */
    TASK_FAILING,
    /** A job has been due for too long. */
    LONG_WAIT,
    /** A group is held: its limit is 0. */
    GROUP_HELD;

    /** As it is written: {@code no_worker}. */
    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** Where to look: each is empty where the alert is not about one. */
  public record Place(Optional<String> queue, Optional<String> task, Optional<Group> group) {}

  /**
   * What alerts are found in: the state of a store at one time.
   *
   * @param now the time, by the store's clock
   * @param queues every queue
   * @param heldGroups the groups held at 0: {@link GroupQuery#HELD}
   * @param workers every worker
   */
  public record Observed(
      Instant now,
      List<QueueInfo> queues,
      List<GroupSummary> heldGroups,
      List<WorkerInfo> workers) {}

  /** What is to be raised in this state, the worst first, {@value #MOST} at most. */
  public static List<Alert> in(Observed observed, AlertThresholds thresholds) {
    return new AlertFinder(observed, thresholds).find();
  }
}
