package dev.sluice.internal;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * Until when a worker may rely on its lease, on a clock of its own that is never set, and that goes
 * on while the machine is suspended ({@link ElapsedClock}).
 *
 * <p>The store counts a lease from the moment a renewal <em>arrives</em>; the worker counts from
 * the moment it <em>sent</em> that renewal, which is earlier, and takes a margin off for the time
 * its handlers need to stop. So the worker gives up before the store could give its jobs to
 * another, whatever the network delays and however the two clocks are set. Only their rates must
 * agree, to within the margin. A renewal whose answer never came does not count. Thread-safe.
 */
final class Lease {
  static final Duration SMALLEST_MARGIN = Duration.ofMillis(200);
  static final Duration LARGEST_MARGIN = Duration.ofSeconds(2);

  private final Duration length;
  private final LongSupplier nanos;
  private volatile long deadline;

  /** A lease granted by a call that was sent at {@code sentAt}. */
  Lease(Duration length, long sentAt, LongSupplier nanos) {
    this.length = length;
    this.nanos = nanos;
    this.deadline = deadlineFor(sentAt, length);
  }

  static Duration margin(Duration length) {
    Duration tenth = length.dividedBy(10);
    Duration atLeast = tenth.compareTo(SMALLEST_MARGIN) < 0 ? SMALLEST_MARGIN : tenth;
    return atLeast.compareTo(LARGEST_MARGIN) > 0 ? LARGEST_MARGIN : atLeast;
  }

  /** Notes a renewal that succeeded; never brings the deadline nearer. */
  synchronized void renewed(long sentAt, Duration atLeast) {
    long extended = deadlineFor(sentAt, atLeast.compareTo(length) > 0 ? atLeast : length);
    if (extended - deadline > 0) {
      deadline = extended;
    }
  }

  boolean valid() {
    return nanos.getAsLong() - deadline < 0;
  }

  /** How long it is valid yet; zero when it is not. */
  Duration remaining() {
    return Duration.ofNanos(Math.max(0, deadline - nanos.getAsLong()));
  }

  Duration length() {
    return length;
  }

  private long deadlineFor(long sentAt, Duration granted) {
    return sentAt + NANOSECONDS.convert(granted.minus(margin(length)));
  }
}
