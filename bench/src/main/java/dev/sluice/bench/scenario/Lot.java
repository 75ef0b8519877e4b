package dev.sluice.bench.scenario;

import dev.sluice.Task;
import dev.sluice.spi.NewJob;

/**
 * Jobs of one task. Their payloads count up from 0, so that a task can derive keys from them.
 *
 * @param counted whether the throughput that is measured is theirs
 */
record Lot(Task<Integer> task, int jobs, boolean counted) {
  private static final int FEWEST = 10;

  /** Jobs whose throughput is measured. */
  static Lot of(Task<Integer> task, int jobs) {
    return new Lot(task, jobs, true);
  }

  /** Jobs that only run beside those. */
  static Lot beside(Task<Integer> task, int jobs) {
    return new Lot(task, jobs, false);
  }

  NewJob job(int payload) {
    return PlainJob.of(task.name(), task.groupsOf(payload), payload);
  }

  Lot scaled(double scale) {
    return new Lot(task, scaled(jobs, scale), counted);
  }

  /** A number of jobs made smaller, but not so small that nothing is left. */
  static int scaled(int jobs, double scale) {
    return (int) Math.max(Math.min(jobs, FEWEST), Math.round(jobs * scale));
  }
}
