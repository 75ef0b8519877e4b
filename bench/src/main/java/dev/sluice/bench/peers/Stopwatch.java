package dev.sluice.bench.peers;

import java.util.concurrent.TimeUnit;

/** Measures by the monotonic clock, from its creation on. */
final class Stopwatch {
  private final long start = System.nanoTime();

  double seconds() {
    return seconds(System.nanoTime() - start);
  }

  static double seconds(long nanos) {
    return nanos / (double) TimeUnit.SECONDS.toNanos(1);
  }
}
