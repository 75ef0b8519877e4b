package dev.sluice.bench.scenario;

/**
 * Jobs that were run.
 *
 * @param jobs how many counted
 * @param nanos how long they took in all
 * @param handlerNanos how long handlers were at work, of all jobs
 */
record Batch(long jobs, long nanos, long handlerNanos) {
  static final Batch NONE = new Batch(0, 0, 0);

  Batch plus(Batch more) {
    return new Batch(jobs + more.jobs, nanos + more.nanos, handlerNanos + more.handlerNanos);
  }
}
