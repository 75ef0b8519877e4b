package dev.sluice.schedule;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.List;
import java.util.Optional;

/**
 * Occurrences by the calendar of a zone.
 *
 * <p>The expression is asked about readings of a clock, never about moments, so that what happens
 * when clocks are changed is decided here alone:
 *
 * <ul>
 *   <li>An expression that leaves the hour open ({@code *&#47;15 * * * *}) means time that passes.
 *       It goes on through a change of clocks as if there were none: hours that come twice count
 *       twice, those left out do not count.
 *   <li>One that names hours ({@code 30 2 * * *}) means readings of the clock, each once a day. A
 *       reading that comes twice counts the first time; one that is left out counts at the moment
 *       the clock jumps over it.
 * </ul>
 */
final class CronTimetable extends Timetable {
  private static final Duration FIRST_WINDOW = Duration.ofMinutes(1);

  private final CronText.Parsed cron;
  private final ZoneRules rules;

  CronTimetable(String schedule, Timing.Cron timing) {
    cron = CronText.parse(schedule, timing.expression());
    rules = timing.zone().getRules();
  }

  @Override
  Optional<Instant> after(Instant moment) {
    return cron.everyHour() ? afterByTime(moment) : afterByReading(moment);
  }

  /** Between two changes the clock just runs: look there, else go on where the next one begins. */
  private Optional<Instant> afterByTime(Instant moment) {
    ZoneOffset offset = rules.getOffset(moment);
    LocalDateTime from = LocalDateTime.ofInstant(moment, offset);
    ZoneOffsetTransition change = rules.nextTransition(moment);
    while (true) {
      Optional<LocalDateTime> reading = nextReading(from);
      if (reading.isEmpty()) {
        return Optional.empty();
      }
      Instant found = reading.get().toInstant(offset);
      if (change == null || found.isBefore(change.getInstant())) {
        return Optional.of(found);
      }
      offset = change.getOffsetAfter();
      from = change.getDateTimeAfter().minusSeconds(1);
      change = rules.nextTransition(change.getInstant());
    }
  }

  private Optional<Instant> afterByReading(Instant moment) {
    Optional<LocalDateTime> reading =
        nextReading(LocalDateTime.ofInstant(moment, rules.getOffset(moment)));
    while (reading.isPresent() && !moment(reading.get()).isAfter(moment)) {
      reading = nextReading(reading.get());
    }
    return reading.map(this::moment);
  }

  private Instant moment(LocalDateTime reading) {
    List<ZoneOffset> offsets = rules.getValidOffsets(reading);
    return offsets.isEmpty()
        ? rules.getTransition(reading).getInstant()
        : reading.toInstant(offsets.get(0));
  }

  /** The first reading after this one that matches. */
  private Optional<LocalDateTime> nextReading(LocalDateTime after) {
    return cron.times()
        .nextExecution(after.truncatedTo(ChronoUnit.SECONDS).atZone(ZoneOffset.UTC))
        .map(ZonedDateTime::toLocalDateTime);
  }

  /** Looks back in growing steps, so that years of a frequent schedule need not be gone through. */
  @Override
  Instant latest(Instant known, Instant moment) {
    for (Duration window = FIRST_WINDOW; ; window = window.multipliedBy(2)) {
      Instant from = moment.minus(window);
      if (!from.isAfter(known)) {
        return lastIn(known, moment).orElse(known);
      }
      Optional<Instant> found = lastIn(from, moment);
      if (found.isPresent()) {
        return found.get();
      }
    }
  }

  private Optional<Instant> lastIn(Instant after, Instant until) {
    Optional<Instant> last = Optional.empty();
    Optional<Instant> each = after(after);
    for (; each.isPresent() && !each.get().isAfter(until); each = after(each.get())) {
      last = each;
    }
    return last;
  }
}
