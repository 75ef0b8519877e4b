package dev.sluice.object.state;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.Group;
import dev.sluice.JobState;
import dev.sluice.Submission;
import dev.sluice.object.state.ShardState.Archive;
import dev.sluice.object.state.ShardState.Edition;
import dev.sluice.object.state.ShardState.Jobs;
import dev.sluice.object.state.ShardState.Limits;
import dev.sluice.object.state.ShardState.ProducerMemory;
import dev.sluice.object.state.ShardState.Revived;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;

/**
 * A control object as JSON. It is written with every commit, so what there may be hundreds of are
 * short arrays: see {@code docs/object-store.md} for what stands where in them.
 */
public final class ShardDocuments {
  private ShardDocuments() {}

  /** The state as bytes. */
  public static byte[] write(ShardState state) {
    List<String> workers = List.copyOf(new TreeMap<>(state.limits().workers()).keySet());
    Map<String, Integer> numbers = new HashMap<>();
    workers.forEach(id -> numbers.put(id, numbers.size()));
    return Documents.write(
        json -> {
          writeEdition(json, state.edition());
          writeWorkers(json, state.limits(), workers);
          writeLimits(json, state.limits(), numbers);
          writeJobs(json, state.jobs(), numbers);
          writeArchive(json, state.archive());
          writeTexts(json, "paused", new TreeSet<>(state.paused()));
        });
  }

  /** Reads a control object. */
  public static ShardState read(String key, byte[] body) {
    return Documents.read(
        key,
        body,
        json -> {
          List<String> workers = new ArrayList<>();
          json.get("workers").forEach(worker -> workers.add(worker.get("id").textValue()));
          return new ShardState(
              new Edition(
                  json.get("version").longValue(),
                  json.get("nonce").textValue(),
                  json.get("time").longValue(),
                  readTexts(json.get("recent"))),
              readJobs(json, workers),
              readLimits(json, workers),
              readArchive(json.get("archive")),
              Set.copyOf(readTexts(json.get("paused"))));
        });
  }

  private static void writeEdition(JsonGenerator json, Edition edition) throws IOException {
    json.writeNumberField("version", edition.version());
    json.writeStringField("nonce", edition.nonce());
    json.writeNumberField("time", edition.time());
    writeTexts(json, "recent", edition.recent());
  }

  // Workers and limits

  private static void writeWorkers(JsonGenerator json, Limits limits, List<String> ids)
      throws IOException {
    json.writeArrayFieldStart("workers");
    for (String id : ids) {
      WorkerEntry worker = limits.workers().get(id);
      json.writeStartObject();
      json.writeStringField("id", id);
      json.writeStringField("name", Documents.storable(worker.name()));
      writeTexts(json, "tasks", new TreeSet<>(worker.tasks()));
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

  private static void writeLimits(JsonGenerator json, Limits limits, Map<String, Integer> numbers)
      throws IOException {
    json.writeNumberField("rulesVersion", limits.rulesVersion());
    json.writeObjectFieldStart("rules");
    for (Map.Entry<String, LimitRule> entry : limits.rules().entrySet()) {
      LimitRule rule = entry.getValue();
      json.writeObjectFieldStart(entry.getKey());
      Documents.writeNumber(json, "operator", rule.operator());
      Documents.writeNumber(json, "config", rule.config());
      Documents.writeNumber(json, "code", rule.code());
      Documents.writeNumber(json, "submit", rule.submit());
      json.writeEndObject();
    }
    json.writeEndObject();
    json.writeObjectFieldStart("slots");
    for (var group : limits.slots().entrySet()) {
      json.writeArrayFieldStart(group.getKey());
      for (Map.Entry<Integer, SlotHolder> slot : group.getValue().entrySet()) {
        writeSlot(json, slot.getKey(), slot.getValue(), numbers);
      }
      json.writeEndArray();
    }
    json.writeEndObject();
  }

  private static void writeSlot(
      JsonGenerator json, int slot, SlotHolder holder, Map<String, Integer> numbers)
      throws IOException {
    json.writeStartArray();
    json.writeNumber(slot);
    json.writeNumber(holder.token());
    json.writeNumber(holder.acquiredAt());
    if (holder.permit() == null) {
      json.writeNumber(numbers.get(holder.worker()));
    } else {
      json.writeString(Documents.storable(holder.worker()));
      json.writeString(Documents.storable(holder.permit().holder()));
      json.writeNumber(holder.permit().expiresAt());
    }
    json.writeEndArray();
  }

  private static Limits readLimits(JsonNode json, List<String> ids) {
    Map<String, LimitRule> rules = new HashMap<>();
    json.get("rules")
        .properties()
        .forEach(
            entry -> {
              JsonNode rule = entry.getValue();
              rules.put(
                  entry.getKey(),
                  new LimitRule(
                      Documents.integer(rule, "operator"),
                      Documents.integer(rule, "config"),
                      Documents.integer(rule, "code"),
                      Documents.integer(rule, "submit")));
            });
    Map<String, SortedMap<Integer, SlotHolder>> slots = new HashMap<>();
    json.get("slots")
        .properties()
        .forEach(
            entry -> {
              SortedMap<Integer, SlotHolder> held = new TreeMap<>();
              entry.getValue().forEach(s -> held.put(s.get(0).intValue(), readSlot(s, ids)));
              slots.put(entry.getKey(), held);
            });
    Map<String, WorkerEntry> workers = new HashMap<>();
    json.get("workers").forEach(w -> workers.put(w.get("id").textValue(), readWorker(w)));
    return new Limits(json.get("rulesVersion").longValue(), rules, slots, workers);
  }

  private static WorkerEntry readWorker(JsonNode json) {
    Map<String, Integer> limits = new HashMap<>();
    json.get("limits")
        .properties()
        .forEach(limit -> limits.put(limit.getKey(), limit.getValue().intValue()));
    return new WorkerEntry(
        json.get("name").textValue(),
        Set.copyOf(readTexts(json.get("tasks"))),
        limits,
        json.get("rulesSeen").longValue());
  }

  private static SlotHolder readSlot(JsonNode json, List<String> ids) {
    long token = json.get(1).longValue();
    long acquiredAt = json.get(2).longValue();
    JsonNode holder = json.get(3);
    if (holder.isInt()) {
      return new SlotHolder(ids.get(holder.intValue()), null, token, acquiredAt);
    }
    SlotHolder.Permit permit =
        new SlotHolder.Permit(json.get(4).textValue(), json.get(5).longValue());
    return new SlotHolder(holder.textValue(), permit, token, acquiredAt);
  }

  // Jobs

  private static void writeJobs(JsonGenerator json, Jobs jobs, Map<String, Integer> numbers)
      throws IOException {
    json.writeNumberField("nextSegment", jobs.nextSegment());
    json.writeArrayFieldStart("segments");
    for (Map.Entry<Long, SegmentRef> entry : jobs.segments().entrySet()) {
      writeSegmentRef(json, entry.getKey(), entry.getValue());
    }
    json.writeEndArray();
    json.writeArrayFieldStart("running");
    for (Map.Entry<UUID, RunningJob> entry : jobs.running().entrySet()) {
      RunningJob job = entry.getValue();
      json.writeStartArray();
      json.writeString(entry.getKey().toString());
      json.writeNumber(job.place().segment());
      json.writeNumber(job.place().index());
      json.writeNumber(numbers.get(job.claim().worker()));
      json.writeNumber(job.claim().token());
      json.writeNumber(job.due());
      json.writeNumber(job.startedAt());
      if (job.cancelRequested() || job.note() != null) {
        json.writeBoolean(job.cancelRequested());
      }
      if (job.note() != null) {
        json.writeString(Documents.storable(job.note()));
      }
      json.writeEndArray();
    }
    json.writeEndArray();
    json.writeArrayFieldStart("back");
    for (Map.Entry<JobPlace, Long> entry : jobs.back().entrySet()) {
      json.writeStartArray();
      json.writeNumber(entry.getKey().segment());
      json.writeNumber(entry.getKey().index());
      json.writeNumber(entry.getValue());
      json.writeEndArray();
    }
    json.writeEndArray();
    json.writeObjectFieldStart("dedupe");
    for (Map.Entry<String, UUID> entry : jobs.dedupe().entrySet()) {
      json.writeStringField(entry.getKey(), entry.getValue().toString());
    }
    json.writeEndObject();
    writeProducers(json, jobs.producers());
  }

  private static void writeSegmentRef(JsonGenerator json, long number, SegmentRef ref)
      throws IOException {
    json.writeStartObject();
    json.writeNumberField("n", number);
    json.writeStringField("key", ref.key());
    json.writeNumberField("unfinished", ref.unfinished());
    if (!ref.cursors().isEmpty()) {
      json.writeObjectFieldStart("lines");
      for (Map.Entry<Integer, Integer> line : ref.cursors().entrySet()) {
        json.writeNumberField(line.getKey().toString(), line.getValue());
      }
      json.writeEndObject();
    }
    if (!ref.gone().isEmpty()) {
      json.writeArrayFieldStart("gone");
      for (int index : ref.gone()) {
        json.writeNumber(index);
      }
      json.writeEndArray();
    }
    if (!ref.refused().isEmpty()) {
      json.writeObjectFieldStart("refused");
      for (Map.Entry<Integer, Submission> entry : ref.refused().entrySet()) {
        json.writeObjectFieldStart(entry.getKey().toString());
        if (entry.getValue() instanceof Submission.Rejected rejected) {
          json.writeStringField("group", rejected.group().toString());
          json.writeNumberField("limit", rejected.limit());
          json.writeNumberField("count", rejected.count());
        } else {
          json.writeStringField("duplicateOf", entry.getValue().id().toString());
        }
        json.writeEndObject();
      }
      json.writeEndObject();
    }
    json.writeEndObject();
  }

  private static void writeProducers(JsonGenerator json, Map<String, ProducerMemory> producers)
      throws IOException {
    json.writeObjectFieldStart("producers");
    for (Map.Entry<String, ProducerMemory> entry : producers.entrySet()) {
      json.writeObjectFieldStart(entry.getKey());
      json.writeNumberField("at", entry.getValue().at());
      json.writeArrayFieldStart("done");
      for (Map.Entry<Long, Long> range : entry.getValue().ranges().entrySet()) {
        json.writeStartArray();
        json.writeNumber(range.getKey());
        json.writeNumber(range.getValue());
        json.writeEndArray();
      }
      json.writeEndArray();
      json.writeEndObject();
    }
    json.writeEndObject();
  }

  private static Jobs readJobs(JsonNode json, List<String> workers) {
    SortedMap<Long, SegmentRef> segments = new TreeMap<>();
    json.get("segments").forEach(ref -> segments.put(ref.get("n").longValue(), readRef(ref)));
    Map<UUID, RunningJob> running = new HashMap<>();
    for (JsonNode job : json.get("running")) {
      running.put(UUID.fromString(job.get(0).textValue()), readRunning(job, workers));
    }
    Map<JobPlace, Long> back = new HashMap<>();
    for (JsonNode job : json.get("back")) {
      back.put(new JobPlace(job.get(0).longValue(), job.get(1).intValue()), job.get(2).longValue());
    }
    Map<String, UUID> dedupe = new HashMap<>();
    json.get("dedupe")
        .properties()
        .forEach(e -> dedupe.put(e.getKey(), UUID.fromString(e.getValue().textValue())));
    Map<String, ProducerMemory> producers = new HashMap<>();
    json.get("producers")
        .properties()
        .forEach(
            entry -> {
              SortedMap<Long, Long> ranges = new TreeMap<>();
              entry
                  .getValue()
                  .get("done")
                  .forEach(range -> ranges.put(range.get(0).longValue(), range.get(1).longValue()));
              producers.put(
                  entry.getKey(),
                  new ProducerMemory(ranges, entry.getValue().get("at").longValue()));
            });
    return new Jobs(
        json.get("nextSegment").longValue(), segments, running, back, dedupe, producers);
  }

  private static RunningJob readRunning(JsonNode job, List<String> workers) {
    return new RunningJob(
        new JobPlace(job.get(1).longValue(), job.get(2).intValue()),
        new RunningJob.Claim(workers.get(job.get(3).intValue()), job.get(4).longValue()),
        job.get(5).longValue(),
        job.get(6).longValue(),
        job.size() > 7 && job.get(7).booleanValue(),
        job.size() > 8 ? job.get(8).textValue() : null);
  }

  private static SegmentRef readRef(JsonNode json) {
    Map<Integer, Integer> cursors = new HashMap<>();
    json.path("lines")
        .properties()
        .forEach(e -> cursors.put(Integer.valueOf(e.getKey()), e.getValue().intValue()));
    Set<Integer> gone = new HashSet<>();
    json.path("gone").forEach(index -> gone.add(index.intValue()));
    Map<Integer, Submission> refused = new HashMap<>();
    json.path("refused")
        .properties()
        .forEach(e -> refused.put(Integer.valueOf(e.getKey()), readAnswer(e.getValue())));
    return new SegmentRef(
        json.get("key").textValue(), json.get("unfinished").intValue(), cursors, gone, refused);
  }

  private static Submission readAnswer(JsonNode json) {
    return json.has("duplicateOf")
        ? new Submission.Duplicate(UUID.fromString(json.get("duplicateOf").textValue()))
        : new Submission.Rejected(
            Group.parse(json.get("group").textValue()),
            json.get("limit").intValue(),
            json.get("count").intValue());
  }

  // The archive

  private static void writeArchive(JsonGenerator json, Archive archive) throws IOException {
    json.writeObjectFieldStart("archive");
    json.writeNumberField("next", archive.next());
    json.writeNumberField("frozen", archive.frozen());
    json.writeNumberField("frozenAt", archive.frozenAt());
    json.writeArrayFieldStart("finished");
    for (FinishedJob job : archive.finished()) {
      writeFinished(json, job);
    }
    json.writeEndArray();
    json.writeObjectFieldStart("revived");
    for (Map.Entry<UUID, Revived> entry : archive.revived().entrySet()) {
      json.writeObjectFieldStart(entry.getKey().toString());
      json.writeNumberField("archived", entry.getValue().archived());
      json.writeStringField("state", entry.getValue().state().toString());
      json.writeEndObject();
    }
    json.writeEndObject();
    json.writeEndObject();
  }

  private static void writeFinished(JsonGenerator json, FinishedJob job) throws IOException {
    json.writeStartObject();
    json.writeStringField("id", job.id().toString());
    json.writeNumberField("segment", job.place().segment());
    json.writeNumberField("index", job.place().index());
    json.writeStringField("state", job.end().state().toString());
    json.writeNumberField("at", job.end().at());
    json.writeNumberField("attempt", job.run().attempt());
    json.writeNumberField("due", job.run().due());
    Documents.writeText(json, "worker", job.run().worker());
    Documents.writeNumber(json, "startedAt", job.run().startedAt());
    Documents.writeText(json, "note", job.run().note());
    Documents.writeText(json, "result", job.end().result());
    if (job.end().failure() != null) {
      json.writeFieldName("failure");
      JobDocuments.writeFailure(json, job.end().failure());
    }
    json.writeEndObject();
  }

  private static Archive readArchive(JsonNode json) {
    List<FinishedJob> finished = new ArrayList<>();
    json.get("finished").forEach(job -> finished.add(readFinished(job)));
    Map<UUID, Revived> revived = new HashMap<>();
    json.get("revived")
        .properties()
        .forEach(
            e ->
                revived.put(
                    UUID.fromString(e.getKey()),
                    new Revived(e.getValue().get("archived").longValue(), state(e.getValue()))));
    return new Archive(
        json.get("next").longValue(),
        json.get("frozen").intValue(),
        json.get("frozenAt").longValue(),
        finished,
        revived);
  }

  private static FinishedJob readFinished(JsonNode json) {
    return new FinishedJob(
        UUID.fromString(json.get("id").textValue()),
        new JobPlace(json.get("segment").longValue(), json.get("index").intValue()),
        new FinishedJob.Run(
            json.get("attempt").intValue(),
            Documents.text(json, "worker"),
            Documents.number(json, "startedAt"),
            json.get("due").longValue(),
            Documents.text(json, "note")),
        new FinishedJob.End(
            state(json),
            json.get("at").longValue(),
            Documents.text(json, "result"),
            json.has("failure") ? JobDocuments.readFailure(json.get("failure")) : null));
  }

  private static JobState state(JsonNode json) {
    return JobState.valueOf(json.get("state").textValue().toUpperCase(Locale.ROOT));
  }

  private static void writeTexts(JsonGenerator json, String name, Iterable<String> texts)
      throws IOException {
    json.writeArrayFieldStart(name);
    for (String text : texts) {
      json.writeString(Documents.storable(text));
    }
    json.writeEndArray();
  }

  private static List<String> readTexts(JsonNode json) {
    List<String> texts = new ArrayList<>();
    json.forEach(text -> texts.add(text.textValue()));
    return List.copyOf(texts);
  }
}
