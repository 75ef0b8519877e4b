package dev.sluice.schedule;

import dev.sluice.InvalidRequestException;
import dev.sluice.JobInfo;
import dev.sluice.schedule.Schedule.Times;
import dev.sluice.schedule.ScheduleInfo.Last;
import dev.sluice.schedule.ScheduleInfo.Outcome;
import dev.sluice.schedule.Timetable.Due;
import dev.sluice.spi.JobStore;
import dev.sluice.spi.NewJob;
import dev.sluice.spi.ScheduleStore.StoredSchedule;
import dev.sluice.spi.TasksByName;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sees to schedules that are due: submits the jobs of their occurrences, then notes that it did.
 *
 * <p>Any number of processes may do so for the same schedule at the same time. What each occurrence
 * gets exactly once rests on two things:
 *
 * <ul>
 *   <li>The id of a job is derived from the schedule's incarnation and the moment of the
 *       occurrence, so whoever submits it first has submitted it, and for all others it is a
 *       duplicate, also when it has run already.
 *   <li>The note is written last, by compare-and-set on what was read. Who dies before it leaves
 *       the schedule due, and the next one submits the same jobs again, which are there. Who is
 *       beaten to it changes nothing.
 * </ul>
 *
 * What is due is decided by the clock of the store alone, as of when the schedule was read. A job
 * that was submitted is a duplicate for as long as it is on record; so whoever was held up between
 * reading and submitting for longer than {@link #STALE} reads again. An occurrence that one process
 * leaves out, because it sees the job before unfinished, another may submit a moment later, when it
 * has finished; the note then says what the quicker of the two did. Before an occurrence is noted
 * as left out, its job is looked for: somebody may have submitted it and died.
 */
final class DueSchedules {
  private static final Logger log = LoggerFactory.getLogger(DueSchedules.class);

  /** Far below the time that finished jobs stay on record. */
  private static final Duration STALE = Duration.ofMinutes(1);

  private static final int LONGEST_MESSAGE = 500;

  private final JobStore store;
  private final TasksByName tasks;

  DueSchedules(JobStore store) {
    this.store = store;
    this.tasks = new TasksByName(store.limits());
  }

  /**
   * What came of it.
   *
   * @param first whether nobody else did the same at the same time
   * @param next when the schedule is due next, if that is known now
   */
  record Seen(boolean first, Optional<Instant> next) {}

  /**
   * Sees to a schedule that was read.
   *
   * @param readNanos when it was read, by the clock of {@link System#nanoTime}, or before
   */
  Seen seeTo(StoredSchedule stored, long readNanos) {
    Schedule schedule = ScheduleText.read(stored.entry());
    if (schedule.times().isEmpty()) {
      return note(schedule.begin(stored.updatedAt()), stored);
    }
    Optional<Instant> next = schedule.times().get().next();
    if (schedule.paused() || next.isEmpty()) {
      return new Seen(true, Optional.empty());
    }
    Due due = schedule.timetable().due(next.get(), stored.readAt(), schedule.spec().misfire());
    if (due.run().isEmpty() && due.missed().isEmpty()) {
      return new Seen(true, due.next());
    }
    if (System.nanoTime() - readNanos > STALE.toNanos()) {
      return new Seen(true, Optional.empty());
    }
    Last last =
        due.missed()
            .map(missed -> missed(schedule, missed, stored))
            .orElseGet(() -> submit(schedule, due.run(), stored));
    return note(schedule.advance(due.next(), Optional.of(last)), stored);
  }

  private Seen note(Schedule changed, StoredSchedule stored) {
    boolean first = store.schedules().replace(changed.entry(), stored.version());
    return new Seen(first, first ? changed.entry().next() : Optional.empty());
  }

  private Last submit(Schedule schedule, List<Instant> occurrences, StoredSchedule stored) {
    Instant now = stored.readAt();
    List<Instant> wanted = occurrences;
    if (schedule.spec().overlap() == Overlap.SKIP) {
      Instant first = occurrences.get(0);
      if (before(schedule, first).filter(this::isUnfinished).isPresent()
          && onRecord(schedule, first).isEmpty()) {
        Instant latest = occurrences.get(occurrences.size() - 1);
        return skipped(schedule, latest, stored, "the job before has not finished");
      }
      // The first of them will not have finished when the others come.
      wanted = occurrences.subList(0, 1);
    }
    Instant occurrence = wanted.get(wanted.size() - 1);
    try {
      List<NewJob> jobs = new ArrayList<>();
      for (Instant each : wanted) {
        boolean late = Duration.between(each, now).compareTo(ScheduleSpec.GRACE) > 0;
        jobs.add(tasks.filed(ScheduledJobs.of(schedule, each, late)));
      }
      store.submit(jobs);
      UUID job = jobs.get(jobs.size() - 1).identity().id();
      return new Last(occurrence, now, Outcome.SUBMITTED, Optional.of(job), Optional.empty());
    } catch (InvalidRequestException e) {
      log.warn("The job of the schedule '{}' is refused.", schedule.spec().name(), e);
      String why = shortened(e.getMessage());
      return new Last(
          occurrence, now, Outcome.REFUSED, before(schedule, occurrence), Optional.of(why));
    }
  }

  /** The latest job before that of an occurrence, as far as is known. */
  private Optional<UUID> before(Schedule schedule, Instant occurrence) {
    // Who submitted the first that is not noted may have died before it could note it.
    return schedule
        .times()
        .flatMap(Times::next)
        .filter(first -> first.isBefore(occurrence))
        .flatMap(first -> onRecord(schedule, first))
        .or(() -> schedule.last().flatMap(Last::job));
  }

  private Optional<UUID> onRecord(Schedule schedule, Instant occurrence) {
    return store.jobs().get(ScheduledJobs.id(schedule, occurrence)).map(JobInfo::id);
  }

  private boolean isUnfinished(UUID job) {
    return store.jobs().get(job).map(JobInfo::state).filter(s -> !s.finished()).isPresent();
  }

  private Last missed(Schedule schedule, Instant occurrence, StoredSchedule stored) {
    Optional<UUID> job = onRecord(schedule, occurrence);
    return job.isPresent()
        ? new Last(occurrence, stored.readAt(), Outcome.SUBMITTED, job, Optional.empty())
        : skipped(schedule, occurrence, stored, "nobody was there to see to it");
  }

  private Last skipped(Schedule schedule, Instant occurrence, StoredSchedule stored, String why) {
    log.info("The schedule '{}' skips {}: {}.", stored.entry().name(), occurrence, why);
    return new Last(
        occurrence,
        stored.readAt(),
        Outcome.SKIPPED,
        before(schedule, occurrence),
        Optional.of(why));
  }

  private static String shortened(String message) {
    return message.length() > LONGEST_MESSAGE ? message.substring(0, LONGEST_MESSAGE) : message;
  }
}
