package dev.sluice;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.internal.Pointers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * A named kind of work: its payload type, its limits and its retry policy. Immutable; usually a
 * constant.
 *
 * <pre>{@code
 * static final Task<Email> SEND_EMAIL =
 *     Task.named("send_email", Email.class)
 *         .maxConcurrent(50)                             // across every worker
 *         .maxConcurrentPer("tenant", Email::tenant, 5)  // and at most 5 per tenant, both at once
 *         .build();
 * }</pre>
 *
 * @param <T> the payload, written and read as JSON
 */
public final class Task<T> {
  /** A job may be in at most this many groups besides its task's own. */
  public static final int MAX_EXTRA_GROUPS = 4;

  private final String name;
  private final Class<T> payloadType;
  private final Map<Group, Integer> limits;
  private final List<Dimension<T>> dimensions;
  private final Pointers pointers;
  private final RetryPolicy retry;
  private final Duration timeout;
  private final Style<T> style;

  /** A dimension, by its family, and where a payload has the value of it. */
  private record Dimension<T>(Group family, Function<? super T, ?> value) {}

  /** What a class-style payload says about itself. */
  private record Style<T>(Function<T, String> key, Function<T, OptionalInt> limit) {}

  private Task(Builder<T> builder) {
    name = builder.name;
    payloadType = builder.payloadType;
    limits = Map.copyOf(builder.limits);
    dimensions = List.copyOf(builder.dimensions);
    pointers = Pointers.of(builder.pointers);
    retry = builder.retry;
    timeout = builder.timeout;
    style = builder.style;
  }

  /**
   * Starts a task.
   *
   * @param name what workers and operators know it by, up to 200 characters
   * @param payloadType a class Jackson can write and read; records are welcome
   */
  public static <T> Builder<T> named(String name, Class<T> payloadType) {
    return new Builder<>(name, payloadType);
  }

  /**
   * The task of a class-style job: named by {@link TaskName} or the class name, with default
   * retries.
   *
   * @throws InvalidRequestException if it is a lambda or an anonymous class, which no worker could
   *     find again
   */
  public static <J extends Job> Task<J> of(Class<J> jobClass) {
    if (jobClass.isHidden() || jobClass.isSynthetic() || jobClass.isAnonymousClass()) {
      throw new InvalidRequestException(
          "A job must be an instance of a named class, and '"
              + jobClass.getName()
              + "' is none; use a record.");
    }
    TaskName annotation = jobClass.getAnnotation(TaskName.class);
    Builder<J> task = named(annotation == null ? jobClass.getName() : annotation.value(), jobClass);
    task.style = new Style<>(Job::concurrencyKey, Job::concurrencyLimit);
    return task.build();
  }

  /**
   * A task that is known by its name, and by where its payloads have the values of its dimensions;
   * see {@link Sluice#taskNamed}. It declares no limit.
   *
   * @param pointers by family; see {@link #pointers()}
   */
  public static Task<JsonNode> byName(String name, Map<Group, String> pointers) {
    Builder<JsonNode> task = named(name, JsonNode.class);
    task.pointers.putAll(pointers);
    return task.build();
  }

  /** The name. */
  public String name() {
    return name;
  }

  /** The payload's class. */
  public Class<T> payloadType() {
    return payloadType;
  }

  /** The task's own group. */
  public Group group() {
    return Group.of(name);
  }

  /** The limits this task declares in code, by group or family. */
  public Map<Group, Integer> limits() {
    return limits;
  }

  /**
   * Where the JSON of a payload has the values of dimensions: a JSON pointer by the family of each
   * dimension that is declared so, {@code task/dimension=*}.
   */
  public Map<Group, String> pointers() {
    return pointers.asMap();
  }

  /** When failed jobs are tried again. */
  public RetryPolicy retry() {
    return retry;
  }

  /** How long an attempt may run; empty = without bound. */
  public Optional<Duration> timeout() {
    return Optional.ofNullable(timeout);
  }

  /** Whether a payload may put its job in groups, or bring a limit along. */
  public boolean isDeclarative() {
    return style != null || !dimensions.isEmpty() || !pointers.isEmpty();
  }

  /**
   * The groups a payload puts its job in besides the task's own: one for each dimension that has a
   * value for it, and for the key of a class-style job. Those of pointers are {@link #groupsIn}.
   */
  public List<Group> groupsOf(T payload) {
    List<Group> groups = new ArrayList<>();
    if (style != null && !style.key.apply(payload).isEmpty()) {
      groups.add(group().key(style.key.apply(payload)));
    }
    for (Dimension<T> dimension : dimensions) {
      Object value = dimension.value.apply(payload);
      String text = value == null ? "" : value.toString();
      if (!text.isEmpty()) {
        groups.add(dimension.family.value(text));
      }
    }
    return groups;
  }

  /**
   * The groups that {@link #pointers()} put a job in besides the task's own.
   *
   * @param payload the payload as JSON, as it is stored
   * @throws InvalidRequestException if a value is too long for the name of a group
   */
  public List<Group> groupsIn(String payload) {
    return pointers.groupsIn(payload);
  }

  /**
   * The limit that a class-style payload declares, by its group: the class's own, or that of the
   * payload's key. Empty if it declares none, and for other tasks, whose limits are {@link
   * #limits()}.
   */
  public Map<Group, Integer> limitOf(T payload) {
    OptionalInt limit = style == null ? OptionalInt.empty() : style.limit.apply(payload);
    if (limit.isEmpty()) {
      return Map.of();
    }
    String key = style.key.apply(payload);
    return Map.of(
        key.isEmpty() ? group() : group().key(key),
        Names.requireLimit("concurrencyLimit of task '" + name + "':", limit.getAsInt()));
  }

  @Override
  public String toString() {
    return "Task[" + name + "]";
  }

  /**
   * Builds a task; not thread-safe.
   *
   * @param <T> the payload
   */
  public static final class Builder<T> {
    private final String name;
    private final Class<T> payloadType;
    private final Map<Group, Integer> limits = new LinkedHashMap<>();
    private final List<Dimension<T>> dimensions = new ArrayList<>();
    private final Map<Group, String> pointers = new TreeMap<>();
    private RetryPolicy retry = RetryPolicy.DEFAULT;
    private Duration timeout;
    private Style<T> style;

    private Builder(String name, Class<T> payloadType) {
      this.name = Names.require("task name", name);
      this.payloadType = Objects.requireNonNull(payloadType, "payloadType");
    }

    /**
     * At most this many jobs of the task run at once, across every worker; 0 holds. Default:
     * unlimited.
     */
    public Builder<T> maxConcurrent(int limit) {
      limits.put(
          Group.of(name), Names.requireLimit("maxConcurrent of task '" + name + "':", limit));
      return this;
    }

    /**
     * At most {@code limit} jobs run at once for each value of the dimension. A null or empty value
     * leaves a job out of it.
     */
    public Builder<T> maxConcurrentPer(String dimension, Function<? super T, ?> value, int limit) {
      Group family = limitOfEach(dimension, limit);
      dimensions.add(new Dimension<>(family, Objects.requireNonNull(value, "value")));
      return requireFewDimensions();
    }

    /**
     * At most {@code limit} jobs run at once for each value of the dimension, which is looked up in
     * the JSON of the payload. Workers put the pointer on record in the store: so submitters that
     * know the task by its name alone (a command line, HTTP, schedules, workflows) put jobs into
     * their groups at once and {@link OnLimit#REJECT} counts them, and workers without this code,
     * such as those that run commands, hold the limit too.
     *
     * <p>A text, a number or a boolean is a value, by its text. A pointer to nothing, to null, to
     * an empty text, to an object or to an array leaves a job out of the dimension.
     *
     * @param pointer a JSON pointer (RFC 6901) such as {@code /tenant} or {@code /customer/id}
     * @throws InvalidRequestException if it is none
     */
    public Builder<T> maxConcurrentPer(String dimension, String pointer, int limit) {
      Group family = limitOfEach(dimension, limit);
      Pointers.require(family, Objects.requireNonNull(pointer, "pointer"));
      pointers.put(family, pointer);
      return requireFewDimensions();
    }

    private Group limitOfEach(String dimension, int limit) {
      Group family = Group.of(name).anyValueOf(dimension);
      limits.put(
          family,
          Names.requireLimit(
              "maxConcurrentPer '" + dimension + "' of task '" + name + "':", limit));
      return family;
    }

    private Builder<T> requireFewDimensions() {
      int count = dimensions.size() + pointers.size();
      if (count > MAX_EXTRA_GROUPS - 1) {
        throw new InvalidRequestException(
            "The task '%s' has %d dimensions; at most %d are allowed, so that one group is left for the submit side."
                .formatted(name, count, MAX_EXTRA_GROUPS - 1));
      }
      return this;
    }

    /** At most {@code limit} jobs run at once for each {@code concurrencyKey} given at submit. */
    public Builder<T> maxConcurrentPerKey(int limit) {
      limits.put(
          Group.of(name).anyKey(),
          Names.requireLimit("maxConcurrentPerKey of task '" + name + "':", limit));
      return this;
    }

    /** Short for {@code maxConcurrentPerKey(1)}: one job of each key at a time, the others wait. */
    public Builder<T> uniquePerKey() {
      return maxConcurrentPerKey(1);
    }

    /** When failed jobs are tried again; default {@link RetryPolicy#DEFAULT}. */
    public Builder<T> retry(RetryPolicy retry) {
      this.retry = Objects.requireNonNull(retry, "retry");
      return this;
    }

    /** How long an attempt may run before its handler is interrupted; default: without bound. */
    public Builder<T> timeout(Duration timeout) {
      this.timeout = Names.requirePositive("timeout", timeout);
      return this;
    }

    /** The task. */
    public Task<T> build() {
      return new Task<>(this);
    }
  }

  /** The limit of the task's own group declared in code, if any. */
  public OptionalInt maxConcurrent() {
    Integer limit = limits.get(group());
    return limit == null ? OptionalInt.empty() : OptionalInt.of(limit);
  }
}
