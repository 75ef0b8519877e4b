package dev.sluice.bench.scenario;

import java.util.concurrent.TimeUnit;

/**
 * What a round measured of one setting, over all its batches.
 *
 * @param jobs how many jobs counted
 * @param nanos how long they took
 * @param handlerNanos how long handlers were at work
 * @param submitted how many jobs were submitted
 * @param submitNanos how long that took
 */
record Round(long jobs, long nanos, long handlerNanos, long submitted, long submitNanos) {
  static final Round NOTHING = new Round(0, 0, 0, 0, 0);

  Round plus(Stopwatch.Batch batch, long moreSubmitted, long moreSubmitNanos) {
    return new Round(
        jobs + batch.jobs(),
        nanos + batch.nanos(),
        handlerNanos + batch.handlerNanos(),
        submitted + moreSubmitted,
        submitNanos + moreSubmitNanos);
  }

  double jobsPerSecond() {
    return perSecond(jobs, nanos);
  }

  double submitsPerSecond() {
    return perSecond(submitted, submitNanos);
  }

  /** The time inside handlers as a share of the time that passed: how many were at work. */
  double busy() {
    return (double) handlerNanos / nanos;
  }

  static double perSecond(long count, long nanos) {
    return count * (double) TimeUnit.SECONDS.toNanos(1) / nanos;
  }
}
