package dev.sluice.spi;

import java.util.List;
import java.util.Map;

/**
 * What a recovery found.
 *
 * @param deadWorkers the workers that had lost their lease. A store that keeps a worker's jobs in
 *     several places may find the same worker in several recoveries, each time with other jobs
 * @param freedSlots how many slots came free, by group: those of dead workers and expired permits
 */
public record RecoveryReport(List<DeadWorker> deadWorkers, Map<String, Integer> freedSlots) {
  /** Nothing was found. */
  public static final RecoveryReport NOTHING = new RecoveryReport(List.of(), Map.of());

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
