package dev.sluice.internal;

import dev.sluice.Handler;
import dev.sluice.InvalidRequestException;
import dev.sluice.JobContext;
import dev.sluice.PermanentFailure;
import dev.sluice.Task;

/** A task with the handler a worker has for it. */
public record RegisteredTask<T>(Task<T> task, Handler.Returning<T, Object> handler) {
  /** Reads the payload and runs the handler; returns the result as JSON, or null. */
  String run(String payload, Json json, JobContext context) throws Exception {
    Object result = handler.handle(json.read(payload, task.payloadType()), context);
    try {
      return result == null ? null : json.write("result of task '" + task.name() + "'", result);
    } catch (InvalidRequestException e) {
      // The work is done, and doing it again would bring the same result.
      throw new PermanentFailure(e.getMessage(), e);
    }
  }
}
