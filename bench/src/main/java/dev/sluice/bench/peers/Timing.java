package dev.sluice.bench.peers;

import dev.sluice.bench.server.CpuTime;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/**
 * How a contender did its workload.
 *
 * @param jobs how many jobs it ran
 * @param submitSeconds how long it took to submit them; empty if nobody would submit them that way
 * @param runSeconds from the start of the first handler to the end of the last
 * @param peak how many handlers ran at once at most
 * @param serverCpu what the server spent from the last submit to the end
 */
record Timing(
    int jobs, OptionalDouble submitSeconds, double runSeconds, int peak, CpuTime serverCpu) {
  /** Of a contender that cannot say when its submits are over. */
  Timing(int jobs, OptionalDouble submitSeconds, double runSeconds, int peak) {
    this(jobs, submitSeconds, runSeconds, peak, new CpuTime(OptionalLong.empty(), jobs));
  }

  double jobsPerSecond() {
    return jobs / runSeconds;
  }

  OptionalDouble submittedPerSecond() {
    return submitSeconds.isEmpty()
        ? submitSeconds
        : OptionalDouble.of(jobs / submitSeconds.getAsDouble());
  }
}
