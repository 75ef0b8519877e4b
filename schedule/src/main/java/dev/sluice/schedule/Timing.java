package dev.sluice.schedule;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.Optional;

/** When a schedule is due: by the calendar, or at a fixed interval. */
public sealed interface Timing {
  /**
   * By the calendar.
   *
   * @param expression five fields (minute, hour, day of month, month, day of week), six with seconds
   *     in front, or {@code @hourly}, {@code @daily}, {@code @weekly}, {@code @monthly}, {@code
   *     @yearly}
   * @param zone whose clock and calendar it is about
   */
  record Cron(String expression, ZoneId zone) implements Timing {}

  /**
   * At a fixed interval, whatever the calendar says.
   *
   * @param interval the time between two occurrences, at least a second
   * @param anchor an occurrence from which the others are counted; empty = when the schedule was
   *     created, or given this timing
   */
  record Every(Duration interval, Optional<Instant> anchor) implements Timing {}
}
