package dev.sluice;

import java.util.Objects;

/**
 * A job that is to be submitted along with others; see {@link Sluice#submitEach}.
 *
 * @param task its task
 * @param payload what it works on
 * @param options how it is submitted
 * @param <T> the payload
 */
public record JobRequest<T>(Task<T> task, T payload, SubmitOptions options) {
  /** Checks that task and options are there. */
  public JobRequest {
    Objects.requireNonNull(task, "task");
    Objects.requireNonNull(options, "options");
  }
}
