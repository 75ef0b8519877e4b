package dev.sluice;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Why a job is where it is: what keeps it from starting, or what it waited for before it ran.
 *
 * <p>A step of a workflow that waits for other steps is not among the reasons, because there is no
 * job yet: it is submitted when its dependencies are done. What such a step waits for, the run
 * says: {@code Workflows.describe(run)}, and {@code sluice why RUN}.
 *
 * @param job the job
 * @param reasons what keeps it from starting, the weightiest first; for a job that runs or has
 *     finished, that it does. Never empty
 * @param place its place in line, if it is due and has not started
 * @param estimatedStart when it will probably start, from how long recent jobs of its task took; by
 *     the store's clock. Empty if nothing can be said
 * @param waited how long the latest attempt waited before it started, if one has
 */
public record Why(
    JobInfo job,
    List<Reason> reasons,
    Optional<Place> place,
    Optional<Instant> estimatedStart,
    Optional<Wait> waited) {

  /**
   * A place in line.
   *
   * @param ahead how many jobs come before it
   * @param atLeast whether there may be more than were counted: very many, or those of other queues
   *     that the same workers serve
   * @param group the group in whose line it stands; empty = its queue's
   */
  public record Place(int ahead, boolean atLeast, Optional<Group> group) {}

  /**
   * How long an attempt waited.
   *
   * @param afterDue from being due to being started
   * @param untilDue from being submitted, or failing before, to being due
   * @param heldBackBy the limited group that was found full in front of it
   */
  public record Wait(Duration afterDue, Duration untilDue, Optional<Group> heldBackBy) {}

  /** One answer. */
  public sealed interface Reason {
    /** Which answer it is, in a word of lower-case letters: {@code group_full}. */
    String kind();

    /** The answer as a sentence, without times relative to now. */
    String sentence();
  }

  /** It is not due yet: it was submitted for later, or is to be tried again. */
  public record NotDue(Instant until, boolean retry) implements Reason {
    @Override
    public String kind() {
      return "not_due";
    }

    @Override
    public String sentence() {
      return retry
          ? "It failed and is tried again; not due until " + until + "."
          : "It is not due until " + until + ".";
    }
  }

  /** Its queue is paused. */
  public record QueuePaused(String queue) implements Reason {
    @Override
    public String kind() {
      return "queue_paused";
    }

    @Override
    public String sentence() {
      return "The queue '%s' is paused; 'sluice queues resume %s' lets it go on."
          .formatted(queue, queue);
    }
  }

  /** No live worker serves its queue. */
  public record NoWorkerForQueue(String queue) implements Reason {
    @Override
    public String kind() {
      return "no_worker_for_queue";
    }

    @Override
    public String sentence() {
      return "No worker is subscribed to the queue '" + queue + "'.";
    }
  }

  /** Workers serve its queue, but none of them has a handler for its task. */
  public record NoHandler(String task, String queue) implements Reason {
    @Override
    public String kind() {
      return "no_handler";
    }

    @Override
    public String sentence() {
      return "No worker of the queue '%s' has a handler for the task '%s'.".formatted(queue, task);
    }
  }

  /** A limit of 0 holds one of its groups. */
  public record GroupHeld(ConcurrencyStatus status) implements Reason {
    @Override
    public String kind() {
      return "group_held";
    }

    @Override
    public String sentence() {
      return "The limit of '%s' is 0%s: nothing starts until it is raised or removed."
          .formatted(status.group(), setBy(status));
    }
  }

  /** One of its groups is full. */
  public record GroupFull(ConcurrencyStatus status) implements Reason {
    @Override
    public String kind() {
      return "group_full";
    }

    @Override
    public String sentence() {
      return "The group '%s' is full: %d of %d slots are held; the limit is set by %s%s."
          .formatted(
              status.group(),
              status.active(),
              status.limit().orElse(0),
              status.origin().level().map(LimitLevel::toString).orElse("nobody"),
              setBy(status));
    }
  }

  /** Workers could run it, and all of them are busy. */
  public record WorkersBusy(int workers, int running) implements Reason {
    @Override
    public String kind() {
      return "workers_busy";
    }

    @Override
    public String sentence() {
      return "The %d workers that could run it are busy with %d jobs, as many as they may run at once."
          .formatted(workers, running);
    }
  }

  /** Nothing keeps it: it is about to start. */
  public record AboutToStart() implements Reason {
    @Override
    public String kind() {
      return "about_to_start";
    }

    @Override
    public String sentence() {
      return "Nothing holds it back; a worker will start it at its next look.";
    }
  }

  /** It runs. */
  public record Running(String workerId, Instant since, boolean cancelRequested) implements Reason {
    @Override
    public String kind() {
      return "running";
    }

    @Override
    public String sentence() {
      return "It runs on worker %s since %s%s."
          .formatted(workerId, since, cancelRequested ? " and was asked to stop" : "");
    }
  }

  /** It has finished. */
  public record Finished(JobState state, Instant at) implements Reason {
    @Override
    public String kind() {
      return "finished";
    }

    @Override
    public String sentence() {
      return "It has %s at %s."
          .formatted(state == JobState.CANCELLED ? "been cancelled" : state, at);
    }
  }

  private static String setBy(ConcurrencyStatus status) {
    return status
        .origin()
        .change()
        .map(change -> " since %s, set by %s".formatted(change.at(), change.by()))
        .orElse("");
  }
}
