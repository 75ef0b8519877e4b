package dev.sluice;

import java.time.Duration;

/**
 * Hears what a worker does. {@link #onStart} is called on the handler's thread: be quick. All else
 * is told by one thread of the worker's own, in order and a moment later. What a listener throws is
 * logged and otherwise ignored.
 */
public interface WorkerListener {
  /** A handler is about to start. */
  default void onStart(JobContext job) {}

  /**
   * An attempt ended, however it did, and the store has accepted that; heard before what became of
   * it.
   *
   * @param ran how long its handler ran
   */
  default void onEnded(JobContext job, Duration ran) {}

  /** A handler returned, and the store has accepted it. */
  default void onSuccess(JobContext job, Duration took) {}

  /** An attempt failed, and the store has accepted that. */
  default void onFailure(JobContext job, Throwable failure, boolean willRetry) {}

  /**
   * A job was not started, because it stood in other groups than its task declares for its payload:
   * it is filed anew under the right ones, which the store has accepted.
   */
  default void onRefiled(JobContext job) {}

  /** A job ended because it was cancelled, and the store has accepted that. */
  default void onCancel(JobContext job) {}

  /**
   * A job, or a permit, got a slot of a limited group.
   *
   * @param waited how long after it was due (a permit: after it was asked for)
   */
  default void onAcquired(Group group, Duration waited) {}

  /**
   * There was something to do, and no slot of the group: a worker found work (said once until it
   * gets a slot, not with every look), a permit was not to be had, a submit was refused.
   */
  default void onRejected(Group group) {}

  /** The store was asked for jobs and brought so many, in this time. */
  default void onClaim(int jobs, Duration took) {}

  /**
   * The slots were compared with their holders and limits, by this worker for all, and this was
   * found that it did not find the last time. Of what lasts, the beginning is told.
   */
  default void onAudit(AuditReport report) {}

  /**
   * The worker lost its lease; its handlers were interrupted and what they still report is refused.
   */
  default void onLeaseLost(String workerId, int interruptedJobs) {}
}
