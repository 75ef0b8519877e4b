package dev.sluice.internal;

import dev.sluice.Handler;
import dev.sluice.InvalidRequestException;
import dev.sluice.JobContext;
import dev.sluice.PermanentFailure;
import dev.sluice.Task;
import dev.sluice.spi.ClaimedJob;
import java.util.Optional;

/** A task with the handler a worker has for it. */
public record RegisteredTask<T>(Task<T> task, Handler.Returning<T, Object> handler) {
  /**
   * A job about to start.
   *
   * @param payload what it works on, read
   * @param obstacle how it ends instead of being started
   * @param failure what went wrong with reading the payload or asking it
   */
  record Opened<T>(T payload, Optional<Ending> obstacle, Throwable failure) {}

  /** Reads the payload of a job, and sees whether it stands where this payload has to. */
  Opened<T> open(Attempt attempt, Json json, Filing filing) {
    ClaimedJob job = attempt.job();
    try {
      T payload = json.read(job.payload(), task.payloadType());
      Optional<Ending> obstacle =
          filing.concerns(task)
              ? filing.obstacle(task, payload, job, attempt.declared())
              : Optional.empty();
      return new Opened<>(payload, obstacle, null);
    } catch (Throwable e) {
      return new Opened<>(null, Optional.empty(), e);
    }
  }

  /** Runs the handler; returns the result as JSON, or null. */
  String run(Opened<T> job, Json json, JobContext context) throws Throwable {
    if (job.failure != null) {
      throw job.failure;
    }
    Object result = handler.handle(job.payload, context);
    try {
      return result == null ? null : json.write("result of task '" + task.name() + "'", result);
    } catch (InvalidRequestException e) {
      // The work is done, and doing it again would bring the same result.
      throw new PermanentFailure(e.getMessage(), e);
    }
  }
}
