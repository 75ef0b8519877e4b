package dev.sluice.schedule;

import dev.sluice.schedule.ScheduleInfo.Last;
import dev.sluice.schedule.ScheduleInfo.Outcome;
import dev.sluice.spi.ScheduleStore.Entry;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;

/**
 * A schedule with its state: what is in the store. Immutable.
 *
 * @param spec what it is to do; its payload is JSON
 * @param source who has the say
 * @param incarnation tells it from others that had its name before; jobs are named after it
 * @param times what is known of its time; empty = it was only just created
 * @param paused whether it is paused
 * @param last what it did last
 */
record Schedule(
    ScheduleSpec spec,
    String source,
    UUID incarnation,
    Optional<Times> times,
    boolean paused,
    Optional<Last> last) {

  /** Due at once, so that whoever comes next sets it going, should its creator not get to it. */
  private static final Optional<Instant> AT_ONCE = Optional.of(Instant.EPOCH);

  private static final String BY_HAND = "triggered by hand";

  /**
   * What is known of a schedule's time, by the store's clock.
   *
   * @param created when it was created
   * @param anchor what an interval is counted from
   * @param next the first occurrence that nobody has seen to; empty = there is none any more
   */
  record Times(Instant created, Instant anchor, Optional<Instant> next) {
    Times next(Optional<Instant> other) {
      return new Times(created, anchor, other);
    }
  }

  static Schedule create(ScheduleSpec spec, String source) {
    return new Schedule(spec, source, UUID.randomUUID(), Optional.empty(), false, Optional.empty());
  }

  /** The same, set going: only the store knows when it was created. */
  Schedule begin(Instant created) {
    return times.isPresent()
        ? this
        : times(new Times(created, created, spec.timetable(created).after(created)));
  }

  /** The same with another spec. If that means other times, they begin now. */
  Schedule change(ScheduleSpec other, String by, Instant now) {
    Schedule begun = begin(now);
    Times known = begun.times.orElseThrow();
    Times changed =
        other.timing().equals(spec.timing())
            ? known
            : new Times(known.created, now, other.timetable(now).after(now));
    return new Schedule(other, by, incarnation, Optional.of(changed), paused, last);
  }

  Schedule pause(Instant now) {
    return begin(now).paused(true);
  }

  Schedule resume(Instant now) {
    if (!paused) {
      return this;
    }
    Times known = times.orElseThrow();
    return times(
            known.next(known.next.flatMap(held -> timetable().resume(held, now, spec.misfire()))))
        .paused(false);
  }

  /** The same after an occurrence has been seen to. */
  Schedule advance(Optional<Instant> next, Optional<Last> seenTo) {
    return new Schedule(
        spec,
        source,
        incarnation,
        Optional.of(times.orElseThrow().next(next)),
        paused,
        seenTo.or(() -> last));
  }

  /** The same with a job besides its occurrences, unless that is of another that had its name. */
  Schedule triggered(Schedule as, UUID job, Instant now) {
    if (!incarnation.equals(as.incarnation)) {
      return this;
    }
    Last byHand = new Last(now, now, Outcome.SUBMITTED, Optional.of(job), Optional.of(BY_HAND));
    Schedule begun = begin(now);
    return begun.advance(begun.times.orElseThrow().next, Optional.of(byHand));
  }

  Timetable timetable() {
    return spec.timetable(times.orElseThrow().anchor);
  }

  private Schedule times(Times other) {
    return new Schedule(spec, source, incarnation, Optional.of(other), paused, last);
  }

  private Schedule paused(boolean other) {
    return new Schedule(spec, source, incarnation, times, other, last);
  }

  Entry entry() {
    Optional<Instant> next = times.map(Times::next).orElse(AT_ONCE);
    return new Entry(spec.name(), ScheduleText.write(this), paused ? Optional.empty() : next);
  }

  /** What others see of it. */
  ScheduleInfo info(Instant updatedAt) {
    Times known = begin(updatedAt).times.orElseThrow();
    return new ScheduleInfo(
        spec, source, paused, known.created, paused ? Optional.empty() : known.next, last);
  }
}
