package dev.sluice.bench.scenario;

import dev.sluice.Task;

/**
 * Jobs of one task. Their payloads count up from 0, so that a task can derive keys from them.
 *
 * @param counted whether the throughput that is measured is theirs
 */
record Lot(Task<Integer> task, int jobs, boolean counted) {
  /** Jobs whose throughput is measured. */
  static Lot of(Task<Integer> task, int jobs) {
    return new Lot(task, jobs, true);
  }

  /** Jobs that only run beside those. */
  static Lot beside(Task<Integer> task, int jobs) {
    return new Lot(task, jobs, false);
  }

  Lot scaled(Plan plan) {
    return new Lot(task, plan.jobs(jobs), counted);
  }
}
