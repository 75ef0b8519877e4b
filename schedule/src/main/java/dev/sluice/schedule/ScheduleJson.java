package dev.sluice.schedule;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.Group;
import dev.sluice.InvalidRequestException;
import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Schedules as JSON: what configuration files, the command line and the HTTP API read and print.
 *
 * <pre>{@code
 * {"task": "report", "cron": "0 3 * * *", "zone": "Europe/Berlin", "payload": {"kind": "sales"},
 *  "queue": "default", "priority": 0, "timeout": "10m", "misfire": "run_once", "overlap": "wait"}
 * {"task": "poll", "every": "5m"}
 * }</pre>
 */
public final class ScheduleJson {
  private static final Set<String> KEYS =
      Set.of(
          "name",
          "task",
          "cron",
          "zone",
          "every",
          "every_seconds",
          "anchor",
          "payload",
          "queue",
          "priority",
          "timeout",
          "timeout_seconds",
          "misfire",
          "overlap",
          "groups",
          "per");

  /** What {@link #of} adds; whoever changes what was printed may leave it in. */
  private static final Set<String> PRINTED =
      Set.of("group", "paused", "source", "created_at", "next", "last");

  private ScheduleJson() {}

  /**
   * Reads what a schedule is to do; what {@link #of} prints can be read. {@code task} and one of
   * {@code cron} and {@code every} are needed; {@code every} and {@code timeout} may also be given
   * as {@code every_seconds} and {@code timeout_seconds}.
   *
   * @param name its name; a {@code name} inside has to be the same
   * @throws InvalidRequestException if it is not valid, or has a key that is not known; the message
   *     names the key
   */
  public static ScheduleSpec parse(String name, JsonNode json) {
    SpecReader reader = new SpecReader(name, json);
    Set<String> unknown = new TreeSet<>();
    json.fieldNames().forEachRemaining(unknown::add);
    unknown.removeAll(KEYS);
    unknown.removeAll(PRINTED);
    if (!unknown.isEmpty()) {
      throw reader.wrong(
          unknown.iterator().next(), "is not known; known are " + sorted(KEYS) + ".");
    }
    if (!reader.text("name").orElse(name).equals(name)) {
      throw reader.wrong("name", "is another than '" + name + "'; leave it away.");
    }
    return reader.read();
  }

  private static String sorted(Set<String> keys) {
    return keys.stream().sorted().collect(Collectors.joining(", "));
  }

  /**
   * A schedule in full: {@code name}, {@code task}, {@code cron} and {@code zone} or {@code
   * every_seconds}, {@code queue}, {@code priority}, {@code timeout_seconds}, {@code payload},
   * {@code misfire}, {@code overlap}, {@code paused}, {@code source}, {@code created_at}, {@code
   * next}, {@code last} with {@code occurrence}, {@code at}, {@code outcome}, {@code job}, {@code
   * message}. What is absent is left out; times are in UTC.
   */
  public static ObjectNode of(ScheduleInfo schedule) {
    ObjectNode json = spec(schedule.spec());
    json.put("group", schedule.spec().group().toString());
    json.put("paused", schedule.paused());
    json.put("source", schedule.source());
    json.put("created_at", schedule.createdAt().toString());
    schedule.next().ifPresent(next -> json.put("next", next.toString()));
    schedule.last().ifPresent(last -> json.set("last", last(last)));
    return json;
  }

  /** What a schedule is to do; its payload has to be JSON already. */
  static ObjectNode spec(ScheduleSpec spec) {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("name", spec.name());
    json.put("task", spec.task());
    if (spec.timing() instanceof Timing.Cron cron) {
      json.put("cron", cron.expression());
      json.put("zone", cron.zone().getId());
    } else if (spec.timing() instanceof Timing.Every every) {
      seconds(json, "every_seconds", every.interval());
      every.anchor().ifPresent(anchor -> json.put("anchor", anchor.toString()));
    }
    json.put("queue", spec.queue());
    json.put("priority", spec.priority());
    spec.timeout().ifPresent(timeout -> seconds(json, "timeout_seconds", timeout));
    json.set("payload", (JsonNode) spec.payload());
    json.put("misfire", spec.misfire().toString());
    json.put("overlap", spec.overlap().toString());
    if (!spec.groups().isEmpty()) {
      spec.groups().stream().map(Group::toString).forEach(json.putArray("groups")::add);
    }
    return json;
  }

  private static void seconds(ObjectNode json, String key, Duration duration) {
    if (duration.toMillisPart() == 0) {
      json.put(key, duration.toSeconds());
    } else {
      json.put(key, duration.toMillis() / 1_000.0);
    }
  }

  static ObjectNode last(ScheduleInfo.Last last) {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("occurrence", last.occurrence().toString());
    json.put("at", last.at().toString());
    json.put("outcome", last.outcome().toString());
    last.job().ifPresent(job -> json.put("job", job.toString()));
    last.message().ifPresent(message -> json.put("message", message));
    return json;
  }
}
