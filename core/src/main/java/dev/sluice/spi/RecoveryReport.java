package dev.sluice.spi;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What a recovery found.
 *
 * @param deadWorkers the workers that had lost their lease. A store that keeps a worker's jobs in
 *     several places may find the same worker in several recoveries, each time with other jobs
 * @param freedSlots how many slots came free, by group: those of dead workers and expired permits
 * @param nextLook how long until the first of the workers that are silent now could be found dead,
 *     in a store that counts from when it was first looked at: a look at that time finds it at
 *     once, and one that comes later finds it later. Empty if that does not matter
 */
public record RecoveryReport(
    List<DeadWorker> deadWorkers, Map<String, Integer> freedSlots, Optional<Duration> nextLook) {
  /** What a recovery found that may come again whenever it is due. */
  public RecoveryReport(List<DeadWorker> deadWorkers, Map<String, Integer> freedSlots) {
    this(deadWorkers, freedSlots, Optional.empty());
  }

  /**
   * A worker that had lost its lease.
   *
   * @param id its id
   * @param name its name, for operators
   * @param requeuedJobs how many of its jobs are ready again, by task
   */
  public record DeadWorker(String id, String name, Map<String, Integer> requeuedJobs) {}

  /** How many jobs of dead workers are ready again. */
  public int requeuedJobs() {
    return deadWorkers.stream()
        .flatMap(worker -> worker.requeuedJobs().values().stream())
        .mapToInt(Integer::intValue)
        .sum();
  }

  /** Whether nothing was found. */
  public boolean isEmpty() {
    return deadWorkers.isEmpty() && freedSlots.isEmpty();
  }
}
