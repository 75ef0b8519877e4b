package dev.sluice.bench.peers;

import dev.sluice.bench.report.Figure;
import dev.sluice.bench.scenario.ServerCpu;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * What was found about a contender.
 *
 * @param profile who it is
 * @param timings one for each round it lived to see
 * @param peak of a limited one, how many handlers ran at once at most; empty if it has no limit or
 *     failed before
 * @param failure why it did not go on; empty = it went through
 */
record Measured(Profile profile, List<Timing> timings, OptionalInt peak, Optional<String> failure) {
  Measured {
    timings = List.copyOf(timings);
  }

  boolean complete() {
    return failure.isEmpty() && !timings.isEmpty();
  }

  Figure throughput() {
    return new Figure("jobs/s", timings.stream().map(Timing::jobsPerSecond).toList());
  }

  /** What the server spent on a job. */
  Figure serverCpu() {
    return ServerCpu.of(timings.stream().map(Timing::serverCpu).toList());
  }

  /** Whether more ran at once than the limit allows. */
  boolean brokeItsLimit() {
    return peak.isPresent() && peak.getAsInt() > profile.limit().orElseThrow();
  }
}
