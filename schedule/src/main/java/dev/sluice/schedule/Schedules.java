package dev.sluice.schedule;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.DurationText;
import dev.sluice.InvalidRequestException;
import dev.sluice.Sluice;
import dev.sluice.SluiceException;
import dev.sluice.Submission;
import dev.sluice.spi.JobStore;
import dev.sluice.spi.NewJob;
import dev.sluice.spi.ScheduleStore.StoredSchedule;
import dev.sluice.spi.TasksByName;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The entrance to schedules: create and change them, and start a {@link Scheduler} that sees to
 * them. Thread-safe; nothing to close but the schedulers.
 *
 * <pre>{@code
 * Schedules schedules = Schedules.on(sluice);
 * schedules.declare(ScheduleSpec.cron("nightly", REPORT, new Report("sales"), "0 3 * * *"));
 * try (Scheduler scheduler = schedules.start()) { ... }
 * }</pre>
 */
public final class Schedules {
  /** Who has the say about schedules that were created or changed by hand. */
  public static final String OPERATOR = "operator";

  /** The source of schedules declared in code. */
  public static final String CODE = "code";

  /** The source of schedules declared in a configuration file. */
  public static final String CONFIG = "config";

  /**
   * How often a scheduler looks for what others have created, changed or left behind; three times
   * as long while there is no schedule.
   */
  public static final Duration DEFAULT_POLL = Duration.ofSeconds(5);

  private static final Logger log = LoggerFactory.getLogger(Schedules.class);
  private static final Duration SHORTEST_POLL = Duration.ofMillis(10);

  private final JobStore store;
  private final TasksByName tasks;
  private final ScheduleEditor editor;
  private final List<Scheduler> schedulers = new CopyOnWriteArrayList<>();

  Schedules(JobStore store, ObjectMapper mapper, int maxPayloadBytes) {
    this.store = store;
    this.tasks = new TasksByName(store.limits());
    this.editor = new ScheduleEditor(store.schedules(), new Payloads(mapper, maxPayloadBytes));
  }

  /** Schedules on the store of this Sluice. */
  public static Schedules on(Sluice sluice) {
    return new Schedules(sluice.store(), sluice.mapper(), sluice.maxPayloadBytes());
  }

  /**
   * Creates a schedule by hand.
   *
   * @throws InvalidRequestException if there is one of that name
   */
  public ScheduleInfo create(ScheduleSpec spec) {
    Optional<ScheduleInfo> created = editor.create(spec, OPERATOR);
    wake();
    return created.orElseThrow(
        () ->
            new InvalidRequestException(
                "There is a schedule '%s' already. Update or delete it, or choose another name."
                    .formatted(spec.name())));
  }

  /**
   * Changes a schedule by hand: what it does and when, not whether it is paused. If its timing is
   * the same as before, it goes on where it was. From now on declarations leave it alone; delete it
   * to have it declared anew.
   *
   * @throws InvalidRequestException if there is none of that name
   */
  public ScheduleInfo update(ScheduleSpec spec) {
    ScheduleSpec written = editor.written(spec);
    return changed(spec.name(), (schedule, now) -> schedule.change(written, OPERATOR, now));
  }

  /** The schedule of this name. */
  public Optional<ScheduleInfo> get(String name) {
    return store.schedules().get(name).map(ScheduleEditor::info);
  }

  /** Every schedule, by name. */
  public List<ScheduleInfo> list() {
    return editor.all().stream().map(ScheduleEditor.Read::info).toList();
  }

  /**
   * Submits no more jobs of a schedule until it is resumed; those submitted go on. Pausing a paused
   * one changes nothing.
   *
   * @throws InvalidRequestException if there is none of that name
   */
  public ScheduleInfo pause(String name) {
    return changed(name, Schedule::pause);
  }

  /**
   * Goes on with a paused schedule. What it missed is treated as its {@link Misfire} says, which is
   * one job at most.
   *
   * @throws InvalidRequestException if there is none of that name
   */
  public ScheduleInfo resume(String name) {
    return changed(name, Schedule::resume);
  }

  /** Removes a schedule; its jobs stay. False if there is none of that name. */
  public boolean delete(String name) {
    return editor.delete(name, any -> true);
  }

  /**
   * Submits a job of a schedule now, whether it is due or paused. It is under the same limit, and
   * waits if another is unfinished. When the schedule is due next stays as it is. The job becomes
   * the schedule's last one, which {@link Overlap#SKIP} looks at.
   *
   * @throws InvalidRequestException if there is none of that name
   */
  public Submission trigger(String name) {
    StoredSchedule stored = store.schedules().get(name).orElseThrow(() -> unknown(name));
    Schedule triggered = ScheduleText.read(stored.entry());
    NewJob job = tasks.filed(ScheduledJobs.now(triggered, stored.readAt()));
    Submission submission = store.submit(List.of(job)).get(0);
    try {
      editor.change(name, (schedule, now) -> schedule.triggered(triggered, submission.id(), now));
    } catch (SluiceException e) {
      // Who is told that it failed would submit another.
      log.warn("The job {} of the schedule '{}' is not noted there.", submission.id(), name, e);
    }
    return submission;
  }

  /**
   * When a schedule is due next, soonest first; of a paused one, when it would be.
   *
   * @throws InvalidRequestException if there is none of that name
   */
  public List<Instant> upcoming(String name, int most) {
    StoredSchedule stored = store.schedules().get(name).orElseThrow(() -> unknown(name));
    Schedule schedule = ScheduleText.read(stored.entry()).begin(stored.updatedAt());
    return schedule.timetable().upcoming(stored.readAt(), most);
  }

  /** Declares the schedules of this program; the same as {@code declare("code", ...)}. */
  public Declared declare(ScheduleSpec... specs) {
    return declare(CODE, List.of(specs));
  }

  /**
   * Makes what a source declares so: creates and changes schedules, and removes those it had
   * declared before and does not any more. Paused ones stay paused. Those an operator has created
   * or changed stay as they are, and those of a configuration file do when code declares.
   *
   * @param source {@code code} or {@code config}; programs that share a store and declare different
   *     schedules add a name of their own, as in {@code code:billing}, so that they do not remove
   *     each other's
   * @param specs all that it declares
   */
  public Declared declare(String source, Collection<ScheduleSpec> specs) {
    Declared declared = new Declaration(editor, source).of(specs);
    wake();
    return declared;
  }

  /** Starts to see to schedules that are due; the same as {@code start(DEFAULT_POLL)}. */
  public Scheduler start() {
    return start(DEFAULT_POLL);
  }

  /**
   * Starts to see to schedules that are due.
   *
   * @param poll how often to look for schedules that other processes have created, changed or left
   *     behind, at least 10 ms; those known here are seen to when they are due
   */
  public Scheduler start(Duration poll) {
    if (poll.compareTo(SHORTEST_POLL) < 0) {
      throw new InvalidRequestException(
          "A poll of %s is too short for a scheduler; use %s or more."
              .formatted(DurationText.format(poll), DurationText.format(SHORTEST_POLL)));
    }
    Scheduler scheduler = new Scheduler(store, poll, schedulers::remove);
    schedulers.add(scheduler);
    return scheduler;
  }

  private ScheduleInfo changed(String name, BiFunction<Schedule, Instant, Schedule> change) {
    ScheduleInfo changed = editor.change(name, change).orElseThrow(() -> unknown(name));
    wake();
    return changed;
  }

  private static InvalidRequestException unknown(String name) {
    return new InvalidRequestException(
        "There is no schedule '%s'. See 'sluice schedule list', or create it.".formatted(name));
  }

  private void wake() {
    schedulers.forEach(Scheduler::wake);
  }
}
