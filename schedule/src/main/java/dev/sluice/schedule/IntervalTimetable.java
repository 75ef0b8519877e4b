package dev.sluice.schedule;

import dev.sluice.DurationText;
import dev.sluice.InvalidRequestException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

/** Occurrences at a fixed interval, counted from an anchor in both directions. */
final class IntervalTimetable extends Timetable {
  private static final Duration LONGEST = Duration.ofDays(3_660);

  private final long anchor;
  private final long interval;

  IntervalTimetable(String schedule, Timing.Every timing, Instant anchor) {
    Duration every = timing.interval();
    if (every.compareTo(ScheduleSpec.SHORTEST_INTERVAL) < 0 || every.compareTo(LONGEST) > 0) {
      throw new InvalidRequestException(
          "The schedule '%s' is to run every %s; an interval is at least 1s and at most %s."
              .formatted(schedule, DurationText.format(every), DurationText.format(LONGEST)));
    }
    this.interval = every.toMillis();
    this.anchor = timing.anchor().orElse(anchor.truncatedTo(ChronoUnit.SECONDS)).toEpochMilli();
  }

  @Override
  Optional<Instant> after(Instant moment) {
    return Optional.of(at(Math.floorDiv(moment.toEpochMilli() - anchor, interval) + 1));
  }

  @Override
  Instant latest(Instant known, Instant moment) {
    Instant latest = at(Math.floorDiv(moment.toEpochMilli() - anchor, interval));
    return latest.isBefore(known) ? known : latest;
  }

  private Instant at(long number) {
    return Instant.ofEpochMilli(anchor + number * interval);
  }
}
