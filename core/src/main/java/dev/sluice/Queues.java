package dev.sluice;

import java.time.Instant;
import java.util.List;
import java.util.Map;
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
   * @param due the due jobs that have not started, by task; tasks without any are left out
   * @param running how many jobs are running
   * @param scheduled how many are not due yet
   */
  record QueueInfo(
      String name, boolean paused, Map<String, DueJobs> due, long running, long scheduled) {
    /** Copies the map. */
    public QueueInfo {
      due = Map.copyOf(due);
    }

    /** How many due jobs have not started. */
    public long ready() {
      return due.values().stream().mapToLong(DueJobs::jobs).sum();
    }

    /** Since when the job is due that has waited longest to be started; empty = none waits. */
    public Optional<Instant> oldestDue() {
      return due.values().stream().map(DueJobs::oldest).min(Instant::compareTo);
    }
  }

  /**
   * Due jobs that have not started.
   *
   * @param jobs how many
   * @param oldest since when the first of them is due
   */
  record DueJobs(long jobs, Instant oldest) {
    /** These jobs and those. */
    public DueJobs plus(DueJobs other) {
      return new DueJobs(jobs + other.jobs, oldest.isBefore(other.oldest) ? oldest : other.oldest);
    }
  }
}
