package dev.sluice.bench.scenario;

import java.util.stream.LongStream;

/** Collects durations. Thread-safe. */
final class Samples {
  private LongStream.Builder nanos = LongStream.builder();

  synchronized void add(long nanos) {
    this.nanos.add(nanos);
  }

  /** What was collected since the last call. */
  synchronized Distribution drain() {
    Distribution drained = Distribution.ofNanos(nanos.build().toArray());
    nanos = LongStream.builder();
    return drained;
  }
}
