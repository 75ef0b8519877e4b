package dev.sluice.bench.peers;

import java.time.Duration;

/**
 * What a contender is given to do.
 *
 * @param jobs how many jobs, numbered from 0
 * @param work how long each handler takes; zero = it does nothing
 */
record Workload(int jobs, Duration work) {
  static Workload noOps(int jobs) {
    return new Workload(jobs, Duration.ZERO);
  }
}
