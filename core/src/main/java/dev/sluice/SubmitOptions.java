package dev.sluice;

import dev.sluice.internal.Durations;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.UUID;

/**
 * How one job is submitted. Immutable: each method returns a changed copy, so that options read as
 * a chain: {@code o -> o.priority(5).delay(Duration.ofMinutes(1))}.
 */
public final class SubmitOptions {
  /** The queue of jobs that name none. */
  public static final String DEFAULT_QUEUE = "default";

  /** Everything at its default. */
  public static final SubmitOptions DEFAULTS = new SubmitOptions();

  private UUID id;
  private String queue = DEFAULT_QUEUE;
  private int priority;
  private Duration delay = Duration.ZERO;
  private Instant runAt;
  private Duration timeout;
  private String dedupeKey;
  private String concurrencyGroup;
  private String concurrencyKey = "";
  private Integer concurrencyLimit;
  private Map<String, String> per = Map.of();
  private OnLimit onLimit = OnLimit.WAIT;

  private SubmitOptions() {}

  private SubmitOptions copy() {
    SubmitOptions copy = new SubmitOptions();
    copy.id = id;
    copy.queue = queue;
    copy.priority = priority;
    copy.delay = delay;
    copy.runAt = runAt;
    copy.timeout = timeout;
    copy.dedupeKey = dedupeKey;
    copy.concurrencyGroup = concurrencyGroup;
    copy.concurrencyKey = concurrencyKey;
    copy.concurrencyLimit = concurrencyLimit;
    copy.per = per;
    copy.onLimit = onLimit;
    return copy;
  }

  /**
   * The job's id, for callers that derive it; a second submit of the same id is a duplicate.
   * Default: a new time-ordered one.
   */
  public SubmitOptions id(UUID id) {
    SubmitOptions copy = copy();
    copy.id = Objects.requireNonNull(id, "id");
    return copy;
  }

  /** The queue; default {@value #DEFAULT_QUEUE}. */
  public SubmitOptions queue(String queue) {
    SubmitOptions copy = copy();
    copy.queue = Names.require("queue", queue);
    return copy;
  }

  /** Higher numbers start first; default 0. */
  public SubmitOptions priority(int priority) {
    SubmitOptions copy = copy();
    copy.priority = priority;
    return copy;
  }

  /**
   * Not before this much time has passed, by the store's clock; default zero. Replaces {@link
   * #runAt}.
   */
  public SubmitOptions delay(Duration delay) {
    if (delay.isNegative()) {
      throw new InvalidRequestException(
          "A delay of " + Durations.format(delay) + " lies in the past; use zero or more.");
    }
    SubmitOptions copy = copy();
    copy.delay = delay;
    copy.runAt = null;
    return copy;
  }

  /** Not before this moment; one in the past means now. Replaces {@link #delay}. */
  public SubmitOptions runAt(Instant runAt) {
    SubmitOptions copy = copy();
    copy.runAt = Objects.requireNonNull(runAt, "runAt");
    copy.delay = Duration.ZERO;
    return copy;
  }

  /**
   * How long one attempt may run before its handler is interrupted; default: what the task says.
   */
  public SubmitOptions timeout(Duration timeout) {
    SubmitOptions copy = copy();
    copy.timeout = Names.requirePositive("timeout", timeout);
    return copy;
  }

  /**
   * At most one unfinished job of the task has this key; a second submit answers with the first.
   * Default none.
   */
  public SubmitOptions dedupeKey(String dedupeKey) {
    SubmitOptions copy = copy();
    copy.dedupeKey = Names.require("dedupe key", dedupeKey);
    return copy;
  }

  /** The plain group the job belongs to besides its task's own; default: the task's own. */
  public SubmitOptions concurrencyGroup(String group) {
    Group.of(group);
    SubmitOptions copy = copy();
    copy.concurrencyGroup = group;
    return copy;
  }

  /** Narrows the group to one key of it; empty (the default) = not narrowed. */
  public SubmitOptions concurrencyKey(String key) {
    SubmitOptions copy = copy();
    copy.concurrencyKey = Objects.requireNonNull(key, "concurrencyKey");
    return copy;
  }

  /** The limit of that group, set only where it has none yet; 0 holds. Default: none. */
  public SubmitOptions concurrencyLimit(int limit) {
    SubmitOptions copy = copy();
    copy.concurrencyLimit = Names.requireLimit("concurrencyLimit", limit);
    return copy;
  }

  /**
   * The job's value in a dimension of its task, which puts it into the group {@code
   * task/dimension=value}; default none. For submitters that know the task by name alone: where the
   * task itself declares the dimension, what it says about the payload counts.
   */
  public SubmitOptions per(String dimension, String value) {
    Group.of("task").dimension(dimension, value);
    SubmitOptions copy = copy();
    copy.per = new TreeMap<>(per);
    copy.per.put(dimension, value);
    return copy;
  }

  /** What to do when a limited group of the job has no room; default {@link OnLimit#WAIT}. */
  public SubmitOptions onLimit(OnLimit onLimit) {
    SubmitOptions copy = copy();
    copy.onLimit = Objects.requireNonNull(onLimit, "onLimit");
    return copy;
  }

  /** The explicit id, if one was given. */
  public Optional<UUID> id() {
    return Optional.ofNullable(id);
  }

  /** The queue. */
  public String queue() {
    return queue;
  }

  /** The priority. */
  public int priority() {
    return priority;
  }

  /** The delay. */
  public Duration delay() {
    return delay;
  }

  /** The moment given by {@link #runAt(Instant)}, if any. */
  public Optional<Instant> runAt() {
    return Optional.ofNullable(runAt);
  }

  /** The timeout, if one was given. */
  public Optional<Duration> timeout() {
    return Optional.ofNullable(timeout);
  }

  /** The dedupe key, if one was given. */
  public Optional<String> dedupeKey() {
    return Optional.ofNullable(dedupeKey);
  }

  /** The group, if one was given. */
  public Optional<String> concurrencyGroup() {
    return Optional.ofNullable(concurrencyGroup);
  }

  /** The key; empty = none. */
  public String concurrencyKey() {
    return concurrencyKey;
  }

  /** The limit, if one was given. */
  public OptionalInt concurrencyLimit() {
    return concurrencyLimit == null ? OptionalInt.empty() : OptionalInt.of(concurrencyLimit);
  }

  /** The values given by {@link #per(String, String)}, by dimension. */
  public Map<String, String> per() {
    return Collections.unmodifiableMap(per);
  }

  /** The policy when full. */
  public OnLimit onLimit() {
    return onLimit;
  }
}
