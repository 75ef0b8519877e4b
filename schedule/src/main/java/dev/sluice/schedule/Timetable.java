package dev.sluice.schedule;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** When a schedule is due; pure arithmetic. Immutable. */
abstract class Timetable {
  /** The first occurrence after a moment; empty = there is none any more. */
  abstract Optional<Instant> after(Instant moment);

  /**
   * The last occurrence that is not after a moment.
   *
   * @param known an occurrence that is not after it
   */
  abstract Instant latest(Instant known, Instant moment);

  /**
   * What is to be done.
   *
   * @param run the occurrences to submit, oldest first
   * @param missed the latest of the occurrences that nobody will submit, if there are any
   * @param next when to look again; empty = never
   */
  record Due(List<Instant> run, Optional<Instant> missed, Optional<Instant> next) {}

  /**
   * What is to be done now. If all that is due came due within the grace, somebody was merely slow,
   * and each occurrence is submitted. Otherwise they were missed, and no more than one is: so there
   * is no burst, however long it was.
   *
   * @param next the first occurrence that nobody has seen to
   */
  Due due(Instant next, Instant now, Misfire misfire) {
    if (next.isAfter(now)) {
      return new Due(List.of(), Optional.empty(), Optional.of(next));
    }
    if (!isMissed(next, now)) {
      List<Instant> run = new ArrayList<>();
      Optional<Instant> each = Optional.of(next);
      for (; each.isPresent() && !each.get().isAfter(now); each = after(each.get())) {
        run.add(each.get());
      }
      return new Due(run, Optional.empty(), each);
    }
    Instant latest = latest(next, now);
    return misfire == Misfire.RUN_ONCE || !isMissed(latest, now)
        ? new Due(List.of(latest), Optional.empty(), after(now))
        : new Due(List.of(), Optional.of(latest), after(now));
  }

  /**
   * Where to go on after a pause. What was missed is folded however short it was, because whoever
   * paused the schedule did not want it to run then.
   *
   * @param held the first occurrence that nobody has seen to
   */
  Optional<Instant> resume(Instant held, Instant now, Misfire misfire) {
    if (held.isAfter(now)) {
      return Optional.of(held);
    }
    return misfire == Misfire.RUN_ONCE ? Optional.of(latest(held, now)) : after(now);
  }

  List<Instant> upcoming(Instant after, int most) {
    List<Instant> found = new ArrayList<>();
    Optional<Instant> each = after(after);
    for (; each.isPresent() && found.size() < most; each = after(each.get())) {
      found.add(each.get());
    }
    return found;
  }

  private static boolean isMissed(Instant occurrence, Instant now) {
    return Duration.between(occurrence, now).compareTo(ScheduleSpec.GRACE) > 0;
  }
}
