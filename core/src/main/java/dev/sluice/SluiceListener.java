package dev.sluice;

import java.util.UUID;

/**
 * Hears what is done through one {@link Sluice}: what {@link WorkerListener} hears of its workers,
 * and what is submitted and which permits are acquired through it, also by workflows and schedules.
 * The latter is told on the caller's threads: be quick; what a listener throws is logged and
 * otherwise ignored. One listener may hear several workers and callers at once.
 */
public interface SluiceListener extends WorkerListener {
  /**
   * A job was submitted, or found to be there already, or rejected. One submitted with a
   * transaction of the caller's is heard when it is written: should the caller roll back, there is
   * no such job after all.
   */
  default void onSubmit(String task, Submission submission) {}

  /**
   * A job that no worker had was cancelled; {@link #onCancel} tells of the others. Of one that was
   * asked to stop and whose worker died meanwhile, nobody tells.
   */
  default void onWithdraw(String task, UUID job) {}
}
