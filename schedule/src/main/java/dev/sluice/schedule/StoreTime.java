package dev.sluice.schedule;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.PriorityQueue;

/**
 * What time it is by the store's clock, counted on by the local monotonic one, and what is expected
 * when. It only says how long to sleep; what is due is for the store to say. For one thread.
 */
final class StoreTime {
  private final PriorityQueue<Instant> expected = new PriorityQueue<>();
  private Instant read = Instant.EPOCH;
  private long readNanos = System.nanoTime();

  /**
   * The store's clock showed this just now, or a little earlier: so this is late rather than early,
   * and nobody looks too soon.
   */
  void heard(Instant time) {
    read = time;
    readNanos = System.nanoTime();
  }

  void expect(Optional<Instant> moment) {
    moment.ifPresent(expected::add);
  }

  void forget() {
    expected.clear();
  }

  /** What was due at a moment of the local clock has been seen to, by somebody. */
  void forgetUntil(long nanos) {
    while (!expected.isEmpty() && !expected.peek().isAfter(at(nanos))) {
      expected.poll();
    }
  }

  /** How long until the next moment that is expected, in nanoseconds. */
  long untilNext() {
    if (expected.isEmpty()) {
      return Long.MAX_VALUE / 2;
    }
    Duration until = Duration.between(at(System.nanoTime()), expected.peek());
    return until.compareTo(Duration.ofDays(1)) > 0 ? Duration.ofDays(1).toNanos() : until.toNanos();
  }

  private Instant at(long nanos) {
    return read.plusNanos(nanos - readNanos);
  }
}
