package dev.sluice.bench.scenario;

import dev.sluice.bench.server.CpuTime;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * What a round measured of one setting, over all its batches.
 *
 * @param total the batches together
 * @param submits how they came in
 * @param claiming exchanges that brought jobs, as the workers saw them
 * @param completing exchanges that only reported outcomes
 * @param serverCpu what the server spent on the batches, without their submits; empty if there is
 *     no server
 */
record Round(
    Batch total,
    Submits submits,
    Distribution claiming,
    Distribution completing,
    Optional<CpuTime> serverCpu) {

  /**
   * How batches came in.
   *
   * @param jobs how many jobs were submitted
   * @param nanos how long that took
   */
  record Submits(long jobs, long nanos) {}

  double jobsPerSecond() {
    return perSecond(total.jobs(), total.nanos());
  }

  double submitsPerSecond() {
    return perSecond(submits.jobs, submits.nanos);
  }

  double medianClaimMillis() {
    return claiming.percentile(50);
  }

  /** The time inside handlers as a share of the time that passed: how many were at work. */
  double busy() {
    return (double) total.handlerNanos() / total.nanos();
  }

  static double perSecond(long count, long nanos) {
    return count * (double) TimeUnit.SECONDS.toNanos(1) / nanos;
  }
}
