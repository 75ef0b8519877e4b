package dev.sluice.throttle;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;

/** Adds up times from many threads. */
final class Stopwatch {
  private static final long[] BOUNDS =
      Timing.BOUNDS.stream().mapToLong(Duration::toNanos).toArray();

  private final LongAdder sum = new LongAdder();
  private final LongAdder[] buckets =
      Stream.generate(LongAdder::new).limit(BOUNDS.length + 1).toArray(LongAdder[]::new);

  void add(long nanos) {
    sum.add(nanos);
    int found = Arrays.binarySearch(BOUNDS, nanos);
    buckets[found >= 0 ? found : -found - 1].increment();
  }

  /** What it adds up to so far; while others add, counts may be a moment apart. */
  Timing timing() {
    List<Long> atMost = new ArrayList<>();
    long count = 0;
    for (int bound = 0; bound < BOUNDS.length; bound++) {
      count += buckets[bound].sum();
      atMost.add(count);
    }
    return new Timing(count + buckets[BOUNDS.length].sum(), Duration.ofNanos(sum.sum()), atMost);
  }
}
