package dev.sluice;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * What is on record about a submitted job.
 *
 * @param id its id
 * @param spec what was submitted
 * @param state where it is
 * @param progress how far it came
 * @param outcome what came of it
 * @param failures its failed attempts, oldest first (the latest twenty)
 */
public record JobInfo(
    UUID id,
    Spec spec,
    JobState state,
    Progress progress,
    Outcome outcome,
    List<JobFailure> failures) {

  /**
   * What was submitted.
   *
   * @param task the task's name
   * @param queue the queue's name
   * @param priority higher starts first
   * @param groups the groups it belongs to, the task's own first
   * @param schedule when it was submitted, when it is due and how long an attempt may take
   * @param payload the payload as JSON
   */
  public record Spec(
      String task,
      String queue,
      int priority,
      List<Group> groups,
      Schedule schedule,
      String payload) {}

  /**
   * Times given at submit, by the store's clock.
   *
   * @param submittedAt when it was stored
   * @param runAt when it is or was due (after a failure: the next attempt)
   * @param timeout how long an attempt may run
   * @param dedupeKey the dedupe key, if any
   */
  public record Schedule(
      Instant submittedAt, Instant runAt, Optional<Duration> timeout, Optional<String> dedupeKey) {}

  /**
   * How far the job came.
   *
   * @param attempt how many attempts have started
   * @param workerId the worker that runs it or ran it last
   * @param startedAt when the latest attempt started
   * @param note the latest progress its handler reported
   * @param cancelRequested whether a running job was asked to stop
   * @param heldBackBy the limited group that was last found full in front of the job, if the store
   *     noticed one; kept after the job has started and finished
   */
  public record Progress(
      int attempt,
      Optional<String> workerId,
      Optional<Instant> startedAt,
      Optional<String> note,
      boolean cancelRequested,
      Optional<Group> heldBackBy) {}

  /**
   * What came of the job; both empty until it has finished.
   *
   * @param finishedAt when it finished
   * @param result what its handler returned, as JSON
   */
  public record Outcome(Optional<Instant> finishedAt, Optional<String> result) {
    /** Not finished. */
    public static final Outcome PENDING = new Outcome(Optional.empty(), Optional.empty());
  }

  /** The task's name. */
  public String task() {
    return spec.task;
  }

  /** The latest failure, if there was one. */
  public Optional<JobFailure> lastFailure() {
    return failures.isEmpty() ? Optional.empty() : Optional.of(failures.get(failures.size() - 1));
  }
}
