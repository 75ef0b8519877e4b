package dev.sluice.object.state;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.Group;
import dev.sluice.LimitChange;
import dev.sluice.LimitLevel;
import dev.sluice.object.state.ChangeLog.Logged;
import dev.sluice.object.state.ShardState.Limits;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;

/** Workers, limits and slots in a control object, and the log of limits, as JSON. */
public final class LimitDocuments {
  private LimitDocuments() {}

  static void writeWorkers(JsonGenerator json, Limits limits, List<String> ids) throws IOException {
    json.writeArrayFieldStart("workers");
    for (String id : ids) {
      WorkerEntry worker = limits.workers().get(id);
      json.writeStartObject();
      json.writeStringField("id", id);
      json.writeStringField("name", Documents.storable(worker.name()));
      Documents.writeTexts(json, "tasks", new TreeSet<>(worker.tasks()));
      json.writeObjectFieldStart("limits");
      for (Map.Entry<String, Integer> limit : worker.limits().entrySet()) {
        json.writeNumberField(limit.getKey(), limit.getValue());
      }
      json.writeEndObject();
      json.writeNumberField("rulesSeen", worker.rulesSeen());
      json.writeEndObject();
    }
    json.writeEndArray();
  }

  static void writeLimits(
      JsonGenerator json, Limits limits, Map<String, Integer> numbers, Map<UUID, Integer> positions)
      throws IOException {
    json.writeNumberField("token", limits.token());
    json.writeNumberField("rulesVersion", limits.rulesVersion());
    json.writeNumberField("rulesChanged", limits.rulesChanged());
    writeLog(json, limits.log());
    json.writeObjectFieldStart("rules");
    for (Map.Entry<String, LimitRule> entry : limits.rules().entrySet()) {
      LimitRule rule = entry.getValue();
      json.writeObjectFieldStart(entry.getKey());
      Documents.writeNumber(json, "operator", rule.operator());
      Documents.writeNumber(json, "config", rule.config());
      Documents.writeNumber(json, "code", rule.code());
      Documents.writeNumber(json, "submit", rule.submit());
      writeOrigin(json, "operatorChange", rule.operatorChange());
      writeOrigin(json, "configChange", rule.configChange());
      json.writeEndObject();
    }
    json.writeEndObject();
    json.writeObjectFieldStart("slots");
    for (var group : limits.slots().entrySet()) {
      json.writeArrayFieldStart(group.getKey());
      for (Map.Entry<Integer, SlotHolder> slot : group.getValue().entrySet()) {
        SlotHolder holder = slot.getValue();
        Integer job = holder.job() == null ? null : positions.get(holder.job());
        writeSlot(json, slot.getKey(), holder, numbers, job);
      }
      json.writeEndArray();
    }
    json.writeEndObject();
    AskDocuments.write(json, limits.asks(), numbers);
  }

  private static void writeSlot(
      JsonGenerator json, int slot, SlotHolder holder, Map<String, Integer> numbers, Integer job)
      throws IOException {
    json.writeStartArray();
    json.writeNumber(slot);
    json.writeNumber(holder.token());
    json.writeNumber(holder.acquiredAt());
    if (holder.permit() == null) {
      json.writeNumber(numbers.get(holder.worker()));
      if (job != null) {
        json.writeNumber(job);
      }
    } else {
      json.writeString(Documents.storable(holder.worker()));
      json.writeString(Documents.storable(holder.permit().holder()));
      json.writeNumber(holder.permit().expiresAt());
    }
    json.writeEndArray();
  }

  static Limits read(JsonNode json, List<String> ids) {
    Map<String, LimitRule> rules = new HashMap<>();
    json.get("rules")
        .properties()
        .forEach(
            entry -> {
              rules.put(entry.getKey(), readRule(entry.getKey(), entry.getValue()));
            });
    JsonNode running = json.get("running");
    Map<String, SortedMap<Integer, SlotHolder>> slots = new HashMap<>();
    json.get("slots")
        .properties()
        .forEach(
            entry -> {
              SortedMap<Integer, SlotHolder> held = new TreeMap<>();
              entry
                  .getValue()
                  .forEach(s -> held.put(s.get(0).intValue(), readSlot(s, ids, running)));
              slots.put(entry.getKey(), held);
            });
    Map<String, WorkerEntry> workers = new HashMap<>();
    json.get("workers").forEach(w -> workers.put(w.get("id").textValue(), readWorker(w)));
    return new Limits(
        json.get("token").longValue(),
        json.get("rulesVersion").longValue(),
        json.get("rulesChanged").longValue(),
        rules,
        slots,
        workers,
        readLog(json.get("changes")),
        AskDocuments.read(json, ids));
  }

  private static WorkerEntry readWorker(JsonNode json) {
    Map<String, Integer> limits = new HashMap<>();
    json.get("limits")
        .properties()
        .forEach(limit -> limits.put(limit.getKey(), limit.getValue().intValue()));
    return new WorkerEntry(
        json.get("name").textValue(),
        Set.copyOf(Documents.readTexts(json.get("tasks"))),
        limits,
        json.get("rulesSeen").longValue());
  }

  private static SlotHolder readSlot(JsonNode json, List<String> ids, JsonNode running) {
    long token = json.get(1).longValue();
    long acquiredAt = json.get(2).longValue();
    JsonNode holder = json.get(3);
    if (holder.isInt()) {
      UUID job =
          json.size() > 4
              ? UUID.fromString(running.get(json.get(4).intValue()).get(0).textValue())
              : null;
      return new SlotHolder(ids.get(holder.intValue()), null, token, acquiredAt, job);
    }
    SlotHolder.Permit permit =
        new SlotHolder.Permit(json.get(4).textValue(), json.get(5).longValue());
    return new SlotHolder(holder.textValue(), permit, token, acquiredAt);
  }

  private static void writeOrigin(JsonGenerator json, String name, LimitChange change)
      throws IOException {
    if (change != null) {
      json.writeObjectFieldStart(name);
      json.writeNumberField("at", Micros.of(change.at()));
      json.writeStringField("by", Documents.storable(change.by()));
      if (change.before().isPresent()) {
        json.writeNumberField("before", change.before().getAsInt());
      }
      json.writeEndObject();
    }
  }

  private static LimitRule readRule(String name, JsonNode rule) {
    Integer operator = Documents.integer(rule, "operator");
    Integer config = Documents.integer(rule, "config");
    return new LimitRule(
        operator,
        config,
        Documents.integer(rule, "code"),
        Documents.integer(rule, "submit"),
        readOrigin(rule.get("operatorChange"), name, LimitLevel.OPERATOR, operator),
        readOrigin(rule.get("configChange"), name, LimitLevel.CONFIG, config));
  }

  private static LimitChange readOrigin(
      JsonNode json, String name, LimitLevel level, Integer after) {
    return json == null
        ? null
        : new LimitChange(
            Micros.toInstant(json.get("at").longValue()),
            json.get("by").textValue(),
            Group.parse(name),
            level,
            optional(Documents.integer(json, "before")),
            optional(after));
  }

  private static OptionalInt optional(Integer number) {
    return number == null ? OptionalInt.empty() : OptionalInt.of(number);
  }

  private static void writeLog(JsonGenerator json, ChangeLog log) throws IOException {
    json.writeObjectFieldStart("changes");
    json.writeNumberField("next", log.next());
    writeChanges(json, "pending", log.pending());
    json.writeEndObject();
  }

  private static ChangeLog readLog(JsonNode json) {
    return new ChangeLog(json.get("next").longValue(), readChanges(json.get("pending")));
  }

  /**
   * The log.
   *
   * @param changes oldest first
   */
  public static byte[] writeLog(List<Logged> changes, String nonce) {
    return Documents.write(
        json -> {
          json.writeStringField("nonce", nonce);
          writeChanges(json, "changes", changes);
        });
  }

  /** Reads the log. */
  public static List<Logged> readLog(String key, byte[] body) {
    return Documents.read(key, body, json -> readChanges(json.get("changes")));
  }

  private static void writeChanges(JsonGenerator json, String name, List<Logged> changes)
      throws IOException {
    json.writeArrayFieldStart(name);
    for (Logged logged : changes) {
      LimitChange change = logged.change();
      json.writeStartObject();
      json.writeNumberField("n", logged.number());
      json.writeNumberField("at", Micros.of(change.at()));
      json.writeStringField("by", Documents.storable(change.by()));
      json.writeStringField("group", change.group().toString());
      json.writeStringField("level", change.level().toString());
      if (change.before().isPresent()) {
        json.writeNumberField("before", change.before().getAsInt());
      }
      if (change.after().isPresent()) {
        json.writeNumberField("after", change.after().getAsInt());
      }
      json.writeEndObject();
    }
    json.writeEndArray();
  }

  private static List<Logged> readChanges(JsonNode json) {
    List<Logged> changes = new ArrayList<>();
    for (JsonNode change : json) {
      changes.add(
          new Logged(
              change.get("n").longValue(),
              new LimitChange(
                  Micros.toInstant(change.get("at").longValue()),
                  change.get("by").textValue(),
                  Group.parse(change.get("group").textValue()),
                  LimitLevel.valueOf(change.get("level").textValue().toUpperCase(Locale.ROOT)),
                  optional(Documents.integer(change, "before")),
                  optional(Documents.integer(change, "after")))));
    }
    return changes;
  }
}
