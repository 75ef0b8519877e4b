package dev.sluice.bench.scenario;

import java.util.Arrays;
import java.util.List;

/** Durations that were measured one by one, and where most of them lie. Immutable. */
final class Distribution {
  /** The percentiles that reports tell. */
  static final List<Integer> TOLD = List.of(50, 95, 99);

  private static final double NANOS_PER_MILLI = 1e6;

  private final long[] sorted;

  private Distribution(long[] sorted) {
    this.sorted = sorted;
  }

  static Distribution ofNanos(long... nanos) {
    long[] sorted = nanos.clone();
    Arrays.sort(sorted);
    return new Distribution(sorted);
  }

  boolean isEmpty() {
    return sorted.length == 0;
  }

  /** The smallest that at least this share of all does not exceed, in milliseconds. */
  double percentile(double percent) {
    int rank = (int) Math.ceil(percent / 100 * sorted.length);
    return sorted[Math.max(0, rank - 1)] / NANOS_PER_MILLI;
  }
}
