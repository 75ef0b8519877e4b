package dev.sluice.postgres;

import java.time.Duration;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * Where in the lines of ready jobs a worker's next claim starts.
 *
 * <p>In a busy store the front of a line is crowded with jobs that were claimed a moment ago and
 * that the index still lists. A worker therefore goes on behind the last job it found, in each lane
 * or shard of one where it left few for its next claim. What it cannot see from there are jobs that
 * come in before that place, more urgent ones and those that others give back, and jobs it passed
 * by because another was just taking slots of their key. So it looks at the whole line again when
 * it finds too few, and at the latest a quarter of a second after it last did; other workers, each
 * in its own time, look more often than that. Small claims always look at the whole line: they cost
 * little, and order matters more to them. Used by one thread.
 */
final class LinePositions {
  static final Duration LONGEST_BLINDNESS = Duration.ofMillis(250);
  static final int SMALLEST_CLAIM = 64;

  private final LongSupplier nanos;
  private List<String> places = List.of();
  private long lookedAt;

  LinePositions(LongSupplier nanos) {
    this.nanos = nanos;
  }

  /**
   * Where a claim of so many jobs starts, as values of the type {@code place_in_line}; in lanes
   * without one at the front.
   */
  List<String> startOf(int jobs) {
    if (jobs == 0) {
      return List.of();
    }
    long now = nanos.getAsLong();
    if (jobs < SMALLEST_CLAIM || now - lookedAt > LONGEST_BLINDNESS.toNanos()) {
      places = List.of();
    }
    if (places.isEmpty()) {
      lookedAt = now;
    }
    return places;
  }

  /** Notes where a claim of so many jobs ended in which lanes. */
  void endedAt(int jobs, List<String> ends) {
    if (jobs == 0) {
      return;
    }
    places = List.copyOf(ends);
  }
}
