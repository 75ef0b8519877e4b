package dev.sluice.throttle;

import java.time.Duration;
import java.util.List;
import java.util.stream.LongStream;

/**
 * How long something took, over many times.
 *
 * @param count how many times
 * @param sum all of them together
 * @param atMost how many of them took no longer than each of {@link #BOUNDS}
 */
public record Timing(long count, Duration sum, List<Long> atMost) {
  /** The bounds of the histogram, from a millisecond to ten minutes. */
  public static final List<Duration> BOUNDS =
      LongStream.of(
              1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 30_000, 60_000,
              300_000, 600_000)
          .mapToObj(Duration::ofMillis)
          .toList();

  public Timing {
    atMost = List.copyOf(atMost);
  }
}
