package dev.sluice.server.view;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.JobFailure;
import dev.sluice.JobInfo;
import dev.sluice.JobState;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** A job; the content is there when one is asked for by its id. */
public record JobView(
    @JsonUnwrapped Identity identity,
    @JsonUnwrapped Times times,
    @JsonUnwrapped Progress progress,
    @Maybe @JsonUnwrapped Content content) {

  /** What was submitted. */
  public record Identity(
      UUID id, String task, String queue, int priority, JobState state, List<String> groups) {}

  /** When what happened. */
  public record Times(
      Instant submittedAt,
      Instant runAt,
      @Maybe Instant startedAt,
      @Maybe Instant finishedAt,
      @Maybe Double waitedSeconds,
      @Maybe Double ranSeconds) {}

  /** How far it came. */
  public record Progress(
      int attempt,
      @Maybe String worker,
      @Maybe String workerName,
      @Maybe String progress,
      boolean cancelRequested,
      @Maybe String heldBackBy,
      @Maybe String error) {}

  /** Everything else. */
  public record Content(
      @Maybe Double timeoutSeconds,
      @Maybe String dedupeKey,
      JsonNode payload,
      @Maybe JsonNode result,
      List<Failure> failures,
      List<Moment> timeline,
      @Maybe UUID run) {}

  /** A failed attempt. */
  public record Failure(int attempt, Instant at, String type, String message, String stackTrace) {
    static Failure of(JobFailure failure) {
      return new Failure(
          failure.attempt(), failure.at(), failure.type(), failure.message(), failure.stackTrace());
    }
  }

  /** A moment in its life. */
  public record Moment(Instant at, String what, @Maybe String detail) {}

  /** A line of a list; the name of its worker may be null. */
  public static JobView summary(JobInfo job, String workerName) {
    return new JobView(identity(job), times(job), progress(job, workerName), null);
  }

  /** Everything; the name of its worker may be null. */
  public static JobView full(JobInfo job, String workerName, Optional<UUID> run) {
    JobInfo.Schedule schedule = job.spec().schedule();
    return new JobView(
        identity(job),
        times(job),
        progress(job, workerName),
        new Content(
            schedule.timeout().map(ViewJson::seconds).orElse(null),
            schedule.dedupeKey().orElse(null),
            ViewJson.stored(job.spec().payload()),
            job.outcome().result().map(ViewJson::stored).orElse(null),
            job.failures().stream().map(Failure::of).toList(),
            JobTimeline.of(job),
            run.orElse(null)));
  }

  private static Identity identity(JobInfo job) {
    return new Identity(
        job.id(),
        job.task(),
        job.spec().queue(),
        job.spec().priority(),
        job.state(),
        job.spec().groups().stream().map(Object::toString).toList());
  }

  private static Times times(JobInfo job) {
    JobInfo.Schedule schedule = job.spec().schedule();
    Optional<Instant> started = job.progress().startedAt();
    Optional<Instant> finished = job.outcome().finishedAt();
    return new Times(
        schedule.submittedAt(),
        schedule.runAt(),
        started.orElse(null),
        finished.orElse(null),
        started.flatMap(at -> between(schedule.runAt(), at)).orElse(null),
        started.flatMap(from -> finished.flatMap(to -> between(from, to))).orElse(null));
  }

  /** Empty if the order is the other one: a job that is to be tried again is due after it ran. */
  private static Optional<Double> between(Instant from, Instant to) {
    return to.isBefore(from)
        ? Optional.empty()
        : Optional.of(ViewJson.seconds(Duration.between(from, to)));
  }

  private static Progress progress(JobInfo job, String workerName) {
    JobInfo.Progress progress = job.progress();
    return new Progress(
        progress.attempt(),
        progress.workerId().orElse(null),
        workerName,
        progress.note().orElse(null),
        progress.cancelRequested(),
        progress.heldBackBy().map(Object::toString).orElse(null),
        job.lastFailure().map(JobFailure::message).orElse(null));
  }
}
