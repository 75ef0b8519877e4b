package dev.sluice;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/**
 * What a worker says about itself, every few seconds: figures for operators, from which nothing is
 * decided. Counts grow from the moment the worker started; to see a rate, compare two bulletins of
 * the same {@code since}.
 *
 * @param since when the worker started, by its own clock
 * @param at when this was written, by its own clock
 * @param load what it has to do now
 * @param tally what it has done, by task and by group
 * @param events what happened last, oldest first, 50 at most. Some were in the bulletin before:
 *     {@link Event#number()} shows which are new, and whether some are missing
 * @param notices what the program adds, by name: its throttles, for example
 */
public record WorkerBulletin(
    Instant since,
    Instant at,
    Load load,
    Tally tally,
    List<Event> events,
    Map<String, JsonNode> notices) {
  /** What stands for all tasks or groups beyond the busiest. */
  public static final String OTHER = "other";

  /**
   * The upper bounds of the classes of {@link GroupTally#waits}, in seconds; one class more has no
   * bound.
   */
  public static final List<Double> WAIT_BOUNDS =
      List.of(
          0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 20.0, 30.0, 45.0, 60.0,
          90.0, 120.0, 180.0, 300.0, 600.0, 900.0, 1800.0, 3600.0);

  /**
   * What a worker has to do.
   *
   * @param concurrency how many handlers may run at once
   * @param running how many do
   * @param buffered how many jobs wait in the buffer
   * @param draining whether it is stopping: it starts and claims nothing more
   */
  public record Load(int concurrency, int running, int buffered, boolean draining) {}

  /** What was done, by task and by canonical name of the group; the busiest, the rest as other. */
  public record Tally(Map<String, TaskTally> tasks, Map<String, GroupTally> groups) {}

  /**
   * What became of the jobs of a task.
   *
   * @param started attempts started
   * @param succeeded jobs that succeeded
   * @param failed jobs that failed for good
   * @param retried attempts that failed and are tried again
   * @param cancelled jobs that were cancelled
   * @param times how long attempts took
   * @param lately how its attempts ended lately
   */
  public record TaskTally(
      long started,
      long succeeded,
      long failed,
      long retried,
      long cancelled,
      Times times,
      Lately lately) {
    /** Bulletins of older workers say nothing about lately. */
    public TaskTally {
      lately = lately == null ? Lately.NONE : lately;
    }
  }

  /**
   * Attempts that ended in the last ten minutes.
   *
   * @param attempts how many, cancelled ones left out
   * @param failures how many of them failed, whether they are tried again or not
   */
  public record Lately(long attempts, long failures) {
    /** None ended. */
    public static final Lately NONE = new Lately(0, 0);

    /** These attempts and those. */
    public Lately plus(Lately other) {
      return new Lately(attempts + other.attempts, failures + other.failures);
    }
  }

  /** Seconds that attempts took: all together, and of a recent one. */
  public record Times(double total, double recent) {}

  /**
   * What happened at a group.
   *
   * @param acquired how often a job got its slot
   * @param rejected how often the worker found work and no slot, once until it got one; and how
   *     often submits and permits of its process were refused, if it counts them
   * @param waits how many jobs waited how long from being due to getting their slot, by class of
   *     {@link WorkerBulletin#WAIT_BOUNDS}
   */
  public record GroupTally(long acquired, long rejected, List<Long> waits) {}

  /**
   * Something that happened.
   *
   * @param number counts the worker's events
   * @param at when, by the worker's clock
   * @param what in a word: started, succeeded, failed, retried, cancelled, refiled, lease_lost
   * @param job the job, if it is about one
   * @param task its task, or empty
   * @param detail a message, bounded; may be empty
   */
  public record Event(
      long number, Instant at, String what, Optional<UUID> job, String task, String detail) {}
}
