package dev.sluice;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** The queues: pause and resume them. Thread-safe. */
public interface Queues {
  /** Stops workers from starting jobs of this queue; running ones go on, submits are accepted. */
  void pause(String queue);

  /** Lets workers start jobs of this queue again. */
  void resume(String queue);

  /**
   * Every queue that has unfinished jobs or is paused, by name. Figures may be some seconds old, as
   * those of {@link Jobs#counts()}.
   */
  List<QueueInfo> list();

  /**
   * A queue.
   *
   * @param name its name
   * @param paused whether it is paused
   * @param ready how many due jobs have not started
   * @param running how many are running
   * @param scheduled how many are not due yet
   * @param oldestDue since when the job is due that has waited longest to be started; empty = none
   *     waits
   */
  record QueueInfo(
      String name,
      boolean paused,
      long ready,
      long running,
      long scheduled,
      Optional<Instant> oldestDue) {}
}
