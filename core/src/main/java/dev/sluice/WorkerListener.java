package dev.sluice;

import java.time.Duration;

/**
 * Hears what a worker does. Called on the worker's threads: be quick; what a listener throws is
 * logged and otherwise ignored.
 */
public interface WorkerListener {
  /** A handler is about to start. */
  default void onStart(JobContext job) {}

  /** A handler returned, and the store has accepted it. */
  default void onSuccess(JobContext job, Duration took) {}

  /** An attempt failed, and the store has accepted that. */
  default void onFailure(JobContext job, Throwable failure, boolean willRetry) {}

  /** A job ended because it was cancelled, and the store has accepted that. */
  default void onCancel(JobContext job) {}

  /**
   * The worker lost its lease; its handlers were interrupted and what they still report is refused.
   */
  default void onLeaseLost(String workerId, int interruptedJobs) {}
}
