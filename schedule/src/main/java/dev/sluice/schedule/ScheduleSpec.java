package dev.sluice.schedule;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.sluice.Group;
import dev.sluice.InvalidRequestException;
import dev.sluice.SubmitOptions;
import dev.sluice.Task;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeSet;

/**
 * What a schedule is to do, and when. Immutable: each method returns a changed copy, so that a
 * schedule reads as a chain.
 *
 * <pre>{@code
 * ScheduleSpec.cron("nightly-report", REPORT, new Report("sales"), "0 3 * * *").zone("Europe/Berlin")
 * ScheduleSpec.every("poll-inbox", "poll", Duration.ofMinutes(5)).overlap(Overlap.SKIP)
 * }</pre>
 *
 * <p>Its jobs are in the group {@code schedules/NAME} with a limit of 1, unless {@link
 * Overlap#ALLOW} says otherwise; an operator can change that limit like any other.
 */
public final class ScheduleSpec {
  /** An occurrence that is submitted this late or less was not missed. */
  public static final Duration GRACE = Duration.ofMinutes(1);

  /** The shortest interval. */
  public static final Duration SHORTEST_INTERVAL = Duration.ofSeconds(1);

  /** The plain group that each schedule's own is keyed under. */
  public static final Group GROUP = Group.of("schedules");

  private static final int MAX_NAME = 200;
  private static final int MAX_GROUPS = Task.MAX_EXTRA_GROUPS - 1;

  private final String name;
  private final String task;
  private Timing timing;
  private Object payload = JsonNodeFactory.instance.objectNode();
  private String queue = SubmitOptions.DEFAULT_QUEUE;
  private int priority;
  private Duration timeout;
  private Misfire misfire = Misfire.RUN_ONCE;
  private Overlap overlap = Overlap.WAIT;
  private List<Group> groups = List.of();

  private ScheduleSpec(String name, String task, Timing timing) {
    this.name = name;
    this.task = task;
    this.timing = timing;
  }

  private ScheduleSpec copy() {
    ScheduleSpec copy = new ScheduleSpec(name, task, timing);
    copy.payload = payload;
    copy.queue = queue;
    copy.priority = priority;
    copy.timeout = timeout;
    copy.misfire = misfire;
    copy.overlap = overlap;
    copy.groups = groups;
    return copy;
  }

  /**
   * A schedule by the calendar.
   *
   * @param name what operators know it by, 1 to 200 characters
   * @param task the name of the task its jobs are of
   * @param expression see {@link Timing.Cron}; in UTC unless {@link #zone} says otherwise
   * @throws InvalidRequestException if the expression is not one, or no moment ever matches it; the
   *     message names the field and what is allowed there
   */
  public static ScheduleSpec cron(String name, String task, String expression) {
    return of(name, task, new Timing.Cron(expression, Zones.UTC));
  }

  /** A schedule by the calendar; its jobs get this payload, and the groups it puts them in. */
  public static <T> ScheduleSpec cron(String name, Task<T> task, T payload, String expression) {
    return cron(name, task.name(), expression).of(task, payload);
  }

  /**
   * A schedule at a fixed interval.
   *
   * @throws InvalidRequestException if the interval is shorter than a second
   */
  public static ScheduleSpec every(String name, String task, Duration interval) {
    return of(name, task, new Timing.Every(interval, Optional.empty()));
  }

  /** A schedule at a fixed interval; its jobs get this payload, and the groups it puts them in. */
  public static <T> ScheduleSpec every(String name, Task<T> task, T payload, Duration interval) {
    return every(name, task.name(), interval).of(task, payload);
  }

  /** A schedule with this timing. */
  public static ScheduleSpec of(String name, String task, Timing timing) {
    ScheduleSpec spec =
        new ScheduleSpec(requireName("name", name), requireName("task name", task), timing);
    spec.group(); // a name that escapes to too long a group is refused here
    spec.timetable(Instant.EPOCH);
    return spec;
  }

  private <T> ScheduleSpec of(Task<T> described, T value) {
    ScheduleSpec copy = payload(value).groups(described.groupsOf(value));
    return described.timeout().map(copy::timeout).orElse(copy);
  }

  /** The same schedule with another timing. */
  public ScheduleSpec timing(Timing timing) {
    ScheduleSpec copy = copy();
    copy.timing = Objects.requireNonNull(timing, "timing");
    copy.timetable(Instant.EPOCH);
    return copy;
  }

  /**
   * The zone whose clock a cron expression is about, such as {@code Europe/Berlin}; default UTC.
   *
   * @throws InvalidRequestException if there is no such zone, or the schedule has an interval
   */
  public ScheduleSpec zone(String zone) {
    if (!(timing instanceof Timing.Cron cron)) {
      throw new InvalidRequestException(
          "The schedule '%s' has an interval, which knows no zone; leave the zone away."
              .formatted(name));
    }
    return timing(new Timing.Cron(cron.expression(), Zones.parse(zone)));
  }

  /** The zone whose clock a cron expression is about; default UTC. */
  public ScheduleSpec zone(ZoneId zone) {
    return zone(zone.getId());
  }

  /**
   * An occurrence from which those of an interval are counted; default: when it was created.
   *
   * @throws InvalidRequestException if the schedule has no interval
   */
  public ScheduleSpec anchor(Instant anchor) {
    if (!(timing instanceof Timing.Every every)) {
      throw new InvalidRequestException(
          "The schedule '%s' has a cron expression; only an interval has an anchor."
              .formatted(name));
    }
    return timing(new Timing.Every(every.interval(), Optional.of(anchor)));
  }

  /** What its jobs work on: anything that can be written as JSON; default {@code {}}. */
  public ScheduleSpec payload(Object payload) {
    ScheduleSpec copy = copy();
    copy.payload = payload == null ? JsonNodeFactory.instance.nullNode() : payload;
    return copy;
  }

  /** The queue of its jobs; default {@code default}. */
  public ScheduleSpec queue(String queue) {
    ScheduleSpec copy = copy();
    copy.queue = SubmitOptions.DEFAULTS.queue(queue).queue();
    return copy;
  }

  /** The priority of its jobs, higher first; default 0. */
  public ScheduleSpec priority(int priority) {
    ScheduleSpec copy = copy();
    copy.priority = priority;
    return copy;
  }

  /** How long one attempt may run; default: without bound, or what the typed task says. */
  public ScheduleSpec timeout(Duration timeout) {
    ScheduleSpec copy = copy();
    copy.timeout = SubmitOptions.DEFAULTS.timeout(timeout).timeout().orElseThrow();
    return copy;
  }

  /** What becomes of missed occurrences; default {@link Misfire#RUN_ONCE}. */
  public ScheduleSpec misfire(Misfire misfire) {
    ScheduleSpec copy = copy();
    copy.misfire = Objects.requireNonNull(misfire, "misfire");
    return copy;
  }

  /** Whether its jobs may run side by side; default {@link Overlap#WAIT}: they may not. */
  public ScheduleSpec overlap(Overlap overlap) {
    ScheduleSpec copy = copy();
    copy.overlap = Objects.requireNonNull(overlap, "overlap");
    return copy;
  }

  /** Groups its jobs are in besides the schedule's and the task's own, at most three. */
  public ScheduleSpec groups(Collection<Group> groups) {
    TreeSet<Group> sorted = new TreeSet<>(groups);
    if (sorted.size() > MAX_GROUPS) {
      throw new InvalidRequestException(
          "Jobs of the schedule '%s' would be in %d groups besides its own; at most %d are allowed."
              .formatted(name, sorted.size(), MAX_GROUPS));
    }
    ScheduleSpec copy = copy();
    copy.groups = List.copyOf(sorted);
    return copy;
  }

  /**
   * The value of its jobs in a dimension of their task: one of the {@link #groups(Collection)
   * groups}. What the task declares about the payload counts before it.
   */
  public ScheduleSpec per(String dimension, String value) {
    List<Group> more = new ArrayList<>(groups);
    more.add(Group.of(task).dimension(dimension, value));
    return groups(more);
  }

  /** The name. */
  public String name() {
    return name;
  }

  /** The task's name. */
  public String task() {
    return task;
  }

  /** When it is due. */
  public Timing timing() {
    return timing;
  }

  /** What its jobs work on, as it was given; a {@code JsonNode} if it was read from a store. */
  public Object payload() {
    return payload;
  }

  /** The queue. */
  public String queue() {
    return queue;
  }

  /** The priority. */
  public int priority() {
    return priority;
  }

  /** The timeout of an attempt, if there is one. */
  public Optional<Duration> timeout() {
    return Optional.ofNullable(timeout);
  }

  /** What becomes of missed occurrences. */
  public Misfire misfire() {
    return misfire;
  }

  /** Whether its jobs may run side by side. */
  public Overlap overlap() {
    return overlap;
  }

  /** The groups besides the schedule's and the task's own, in canonical order. */
  public List<Group> groups() {
    return groups;
  }

  /** The schedule's own group, {@code schedules/NAME}. */
  public Group group() {
    return GROUP.key(name);
  }

  /**
   * The first occurrences after a moment, as a preview; fewer if there are no more. Those of an
   * interval without an anchor are counted from that moment.
   */
  public List<Instant> upcoming(Instant after, int most) {
    return timetable(after).upcoming(after, most);
  }

  /** When it is due, an interval without an anchor of its own being counted from this one. */
  Timetable timetable(Instant anchor) {
    return timing instanceof Timing.Cron cron
        ? new CronTimetable(name, cron)
        : new IntervalTimetable(name, (Timing.Every) timing, anchor);
  }

  private static String requireName(String what, String name) {
    Objects.requireNonNull(name, what);
    if (name.isBlank() || name.length() > MAX_NAME) {
      throw new InvalidRequestException(
          "The %s of a schedule has %d characters; 1 to %d are allowed."
              .formatted(what, name.strip().length(), MAX_NAME));
    }
    if (name.chars().anyMatch(Character::isISOControl)) {
      throw new InvalidRequestException(
          "The %s of a schedule holds a control character; leave it away.".formatted(what));
    }
    return name;
  }

  @Override
  public String toString() {
    return "ScheduleSpec[" + name + " " + timing + " " + task + "]";
  }
}
