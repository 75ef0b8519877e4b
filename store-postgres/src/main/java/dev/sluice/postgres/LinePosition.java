package dev.sluice.postgres;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.UUID;
import java.util.function.LongSupplier;

/**
 * Where in the line of ready jobs a worker's next claim starts.
 *
 * <p>In a busy store the front of the line is crowded with jobs that were claimed a moment ago and
 * that the index still lists. A worker that got all it asked for therefore goes on behind the last
 * job it got. What it cannot see from there are jobs that come in before that place: more urgent
 * ones, and those that others give back. So it looks at the whole line again when it finds too few,
 * and at the latest a quarter of a second after it last did; other workers, each in its own time,
 * look more often than that. Small claims always look at the whole line: they cost little, and
 * order matters more to them. Used by one thread.
 */
final class LinePosition {
  static final Duration LONGEST_BLINDNESS = Duration.ofMillis(250);
  static final int SMALLEST_CLAIM = 64;

  /** The front of the line. */
  static final String FRONT = "";

  private final LongSupplier nanos;
  private String after = FRONT;
  private long lookedAt;

  LinePosition(LongSupplier nanos) {
    this.nanos = nanos;
  }

  /**
   * Where a claim of so many jobs starts: {@link #FRONT}, or a value of the type {@code
   * place_in_line}.
   */
  String startOf(int jobs) {
    long now = nanos.getAsLong();
    if (jobs < SMALLEST_CLAIM || now - lookedAt > LONGEST_BLINDNESS.toNanos()) {
      after = FRONT;
    }
    if (after.equals(FRONT)) {
      lookedAt = now;
    }
    return after;
  }

  /** Notes where the claim ended that was started last; {@link #FRONT} if it ran out of jobs. */
  void endedAt(String place) {
    after = place;
  }

  /** The place in a row of kind {@code e}, as a value of the type {@code place_in_line}. */
  static String read(ResultSet row) throws SQLException {
    return "(%d,\"%s\",%s)"
        .formatted(
            row.getInt("attempt"), row.getString("payload"), row.getObject("id", UUID.class));
  }
}
