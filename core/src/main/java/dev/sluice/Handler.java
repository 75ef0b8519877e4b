package dev.sluice;

/**
 * Does the work of a task and returns nothing.
 *
 * @param <T> the payload
 */
@FunctionalInterface
public interface Handler<T> {
  /**
   * Does the work of one attempt. Returning is success; {@link RetryableException} and any other
   * exception fail the attempt, {@link PermanentFailure} fails the job, {@link Snooze} puts it off.
   */
  void handle(T payload, JobContext context) throws Exception;

  /**
   * Does the work of a task and returns a result.
   *
   * @param <T> the payload
   * @param <R> the result, stored as JSON
   */
  @FunctionalInterface
  interface Returning<T, R> {
    /** Does the work of one attempt; see {@link Handler#handle}. */
    R handle(T payload, JobContext context) throws Exception;
  }
}
