package dev.sluice.bench.peers;

import java.util.OptionalDouble;

/**
 * How a contender did its workload.
 *
 * @param jobs how many jobs it ran
 * @param submitSeconds how long it took to submit them; empty if nobody would submit them that way
 * @param runSeconds from the start of the first handler to the end of the last
 * @param peak how many handlers ran at once at most
 */
record Timing(int jobs, OptionalDouble submitSeconds, double runSeconds, int peak) {
  double jobsPerSecond() {
    return jobs / runSeconds;
  }

  OptionalDouble submittedPerSecond() {
    return submitSeconds.isEmpty()
        ? submitSeconds
        : OptionalDouble.of(jobs / submitSeconds.getAsDouble());
  }
}
