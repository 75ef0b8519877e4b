package dev.sluice.server.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.sluice.InvalidRequestException;
import dev.sluice.JobRequest;
import dev.sluice.OnLimit;
import dev.sluice.SubmitOptions;
import dev.sluice.Task;
import dev.sluice.server.view.Maybe;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;

/** A job to submit; what is left out is as {@link SubmitOptions} has it, the payload {@code {}}. */
record SubmitRequest(
    String task,
    @Maybe JsonNode payload,
    @Maybe String queue,
    @Maybe Integer priority,
    @Maybe Double delaySeconds,
    @Maybe Instant runAt,
    @Maybe Double timeoutSeconds,
    @Maybe String dedupeKey,
    @Maybe UUID id,
    @Maybe String concurrencyGroup,
    @Maybe String concurrencyKey,
    @Maybe Integer concurrencyLimit,
    @Maybe Map<String, String> per,
    @Maybe WhenFull onLimit) {

  /** What to do when the group is full. */
  enum WhenFull {
    WAIT,
    REJECT;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  private static final Set<Map.Entry<String, String>> NONE = Set.of();

  private static final double LONGEST_SECONDS = 100 * 365 * 86_400.0;

  /**
   * Checks it.
   *
   * @param tasks the tasks by their names
   * @throws InvalidRequestException if it is not right
   */
  JobRequest<JsonNode> check(Function<String, Task<JsonNode>> tasks) {
    if (delaySeconds != null && runAt != null) {
      throw new InvalidRequestException("Give 'delay_seconds' or 'run_at', not both.");
    }
    SubmitOptions options = concurrency(SubmitOptions.DEFAULTS);
    options = queue == null ? options : options.queue(queue);
    options = priority == null ? options : options.priority(priority);
    options =
        delaySeconds == null ? options : options.delay(seconds("delay_seconds", delaySeconds));
    options = runAt == null ? options : options.runAt(runAt);
    options =
        timeoutSeconds == null
            ? options
            : options.timeout(seconds("timeout_seconds", timeoutSeconds));
    options = dedupeKey == null ? options : options.dedupeKey(dedupeKey);
    options = id == null ? options : options.id(id);
    return new JobRequest<>(
        tasks.apply(task),
        payload == null ? JsonNodeFactory.instance.objectNode() : payload,
        options);
  }

  private SubmitOptions concurrency(SubmitOptions options) {
    SubmitOptions some = options;
    some = concurrencyGroup == null ? some : some.concurrencyGroup(concurrencyGroup);
    some = concurrencyKey == null ? some : some.concurrencyKey(concurrencyKey);
    some = concurrencyLimit == null ? some : some.concurrencyLimit(concurrencyLimit);
    for (Map.Entry<String, String> dimension : per == null ? NONE : per.entrySet()) {
      if (dimension.getValue() == null) {
        throw new InvalidRequestException(
            "'per' has no value for '%s'; give it one, or leave it out."
                .formatted(dimension.getKey()));
      }
      some = some.per(dimension.getKey(), dimension.getValue());
    }
    return onLimit == WhenFull.REJECT ? some.onLimit(OnLimit.REJECT) : some;
  }

  /** To the millisecond. */
  static Duration seconds(String name, double seconds) {
    if (!(Math.abs(seconds) <= LONGEST_SECONDS)) {
      throw new InvalidRequestException(
          "'%s' is too large; a hundred years are allowed.".formatted(name));
    }
    return Duration.ofMillis(Math.round(seconds * 1000));
  }
}
