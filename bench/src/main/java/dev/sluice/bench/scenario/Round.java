package dev.sluice.bench.scenario;

import java.util.concurrent.TimeUnit;

/**
 * What a round measured of one setting, over all its batches.
 *
 * @param total the batches together
 * @param submitted how many jobs were submitted
 * @param submitNanos how long that took
 * @param claiming exchanges that brought jobs, as the workers saw them
 * @param completing exchanges that only reported outcomes
 */
record Round(
    Batch total, long submitted, long submitNanos, Distribution claiming, Distribution completing) {

  double jobsPerSecond() {
    return perSecond(total.jobs(), total.nanos());
  }

  double submitsPerSecond() {
    return perSecond(submitted, submitNanos);
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
