package dev.sluice.spi;

import java.util.Map;

/**
 * What a recovery found.
 *
 * @param deadWorkers how many workers had lost their lease
 * @param requeuedJobs how many of their jobs are ready again
 * @param freedSlots how many slots came free, by group
 */
public record RecoveryReport(int deadWorkers, int requeuedJobs, Map<String, Integer> freedSlots) {
  /** Nothing was found. */
  public static final RecoveryReport NOTHING = new RecoveryReport(0, 0, Map.of());

  /** Whether nothing was found. */
  public boolean isEmpty() {
    return deadWorkers == 0 && requeuedJobs == 0 && freedSlots.isEmpty();
  }
}
