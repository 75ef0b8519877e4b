package dev.sluice;

import java.util.List;

/** The queues: pause and resume them. Thread-safe. */
public interface Queues {
  /** Stops workers from starting jobs of this queue; running ones go on, submits are accepted. */
  void pause(String queue);

  /** Lets workers start jobs of this queue again. */
  void resume(String queue);

  /** Every queue that has unfinished jobs or is paused, by name. */
  List<QueueInfo> list();

  /**
   * A queue.
   *
   * @param name its name
   * @param paused whether it is paused
   * @param ready how many due jobs have not started
   * @param running how many are running
   * @param scheduled how many are not due yet
   */
  record QueueInfo(String name, boolean paused, long ready, long running, long scheduled) {}
}
