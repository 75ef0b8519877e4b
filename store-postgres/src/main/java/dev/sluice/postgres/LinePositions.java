package dev.sluice.postgres;

import java.time.Duration;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * Where in the lines of ready jobs a worker's next claim starts.
 *
 * <p>In a busy store the front of a line is crowded with jobs that were claimed a moment ago and
 * that the index still lists. A worker therefore goes on behind the last job it found, in each line
 * where it left few for its next claim. What it cannot see from there are jobs that come in before
 * that place, more urgent ones and those that others give back, and jobs it passed by because
 * another was just taking slots of their key. So each line is searched from its front again half a
 * second after it last was. A worker that keeps to shards of the keys looks at all lines when it
 * finds nothing in shards, and at the latest two seconds after it last did; other workers, each in
 * its own time, look more often than that. Small claims always look at all lines from the front:
 * they cost little, and order matters more to them. Used by one thread.
 */
final class LinePositions {
  static final Duration LONGEST_BLINDNESS = Duration.ofSeconds(2);
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
    if (jobs > 0) {
      places = List.copyOf(ends);
    }
  }
}
