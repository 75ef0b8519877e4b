package dev.sluice.schedule;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.DurationText;
import dev.sluice.Group;
import dev.sluice.InvalidRequestException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** Reads a schedule from JSON, with messages that name the schedule and the key. */
final class SpecReader {
  private final String name;
  private final JsonNode json;

  SpecReader(String name, JsonNode json) {
    this.name = name;
    this.json = json;
    if (!json.isObject()) {
      throw new InvalidRequestException(
          "The schedule '%s' is not an object; write at least a task, and cron or every."
              .formatted(name));
    }
  }

  ScheduleSpec read() {
    String task = text("task").orElseThrow(() -> wrong("task", "is missing; name a task."));
    ScheduleSpec spec = ScheduleSpec.of(name, task, timing());
    if (json.has("payload")) {
      spec = spec.payload(json.get("payload"));
    }
    if (text("queue").isPresent()) {
      spec = spec.queue(text("queue").get());
    }
    if (has("priority")) {
      if (!json.get("priority").canConvertToInt() || !json.get("priority").isIntegralNumber()) {
        throw wrong("priority", "is not a whole number.");
      }
      spec = spec.priority(json.get("priority").asInt());
    }
    Optional<Duration> timeout = duration("timeout");
    if (timeout.isPresent()) {
      spec = spec.timeout(timeout.get());
    }
    spec =
        spec.misfire(choice("misfire", Misfire.RUN_ONCE))
            .overlap(choice("overlap", Overlap.WAIT))
            .groups(groups());
    for (Map.Entry<String, JsonNode> value : json.path("per").properties()) {
      spec = spec.per(value.getKey(), value.getValue().asText());
    }
    return spec;
  }

  private Timing timing() {
    Optional<String> cron = text("cron");
    Optional<Duration> every = duration("every");
    if (cron.isPresent() == every.isPresent()) {
      throw wrong(
          "cron", cron.isPresent() ? "and every are both given." : "is missing; give it or every.");
    }
    if (cron.isPresent()) {
      if (has("anchor")) {
        throw wrong("anchor", "is for intervals only.");
      }
      ZoneId zone = text("zone").map(Zones::parse).orElse(Zones.UTC);
      return new Timing.Cron(cron.get(), zone);
    }
    if (has("zone")) {
      throw wrong("zone", "is for cron expressions only; an interval knows no zone.");
    }
    return new Timing.Every(every.get(), text("anchor").map(this::anchor));
  }

  private Instant anchor(String text) {
    try {
      return Instant.parse(text);
    } catch (DateTimeParseException e) {
      throw wrong("anchor", "is not a moment such as 2027-01-01T00:00:00Z.");
    }
  }

  private Optional<Duration> duration(String key) {
    String inSeconds = key + "_seconds";
    if (has(key) && has(inSeconds)) {
      throw wrong(key, "and " + inSeconds + " are both given.");
    }
    if (has(inSeconds)) {
      if (!json.get(inSeconds).isNumber()) {
        throw wrong(inSeconds, "is not a number.");
      }
      return Optional.of(Duration.ofMillis(Math.round(json.get(inSeconds).asDouble() * 1_000)));
    }
    return text(key)
        .map(
            text -> {
              try {
                return DurationText.parse(text);
              } catch (IllegalArgumentException e) {
                throw new InvalidRequestException(
                    "Schedule '%s', %s: %s".formatted(name, key, e.getMessage()), e);
              }
            });
  }

  private List<Group> groups() {
    List<Group> groups = new ArrayList<>();
    for (JsonNode group : json.path("groups")) {
      groups.add(Group.parse(group.asText()));
    }
    return groups;
  }

  private <E extends Enum<E>> E choice(String key, E fallback) {
    Class<E> type = fallback.getDeclaringClass();
    return text(key)
        .map(
            text ->
                Arrays.stream(type.getEnumConstants())
                    .filter(each -> each.toString().equals(text.toLowerCase(Locale.ROOT)))
                    .findFirst()
                    .orElseThrow(() -> wrong(key, "is '" + text + "'; use " + all(type) + ".")))
        .orElse(fallback);
  }

  private static <E extends Enum<E>> String all(Class<E> type) {
    return Arrays.stream(type.getEnumConstants())
        .map(Object::toString)
        .collect(Collectors.joining(" or "));
  }

  private boolean has(String key) {
    return json.hasNonNull(key);
  }

  Optional<String> text(String key) {
    if (!has(key)) {
      return Optional.empty();
    }
    if (!json.get(key).isTextual()) {
      throw wrong(key, "is not a text; put it in quotes.");
    }
    return Optional.of(json.get(key).asText());
  }

  InvalidRequestException wrong(String key, String complaint) {
    return new InvalidRequestException("Schedule '%s': %s %s".formatted(name, key, complaint));
  }
}
