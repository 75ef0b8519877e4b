package dev.sluice.object.state;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.Group;
import dev.sluice.JobState;
import dev.sluice.Submission;
import dev.sluice.object.state.ShardState.Archive;
import dev.sluice.object.state.ShardState.Edition;
import dev.sluice.object.state.ShardState.Jobs;
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
    Map<UUID, Integer> positions = new HashMap<>();
    state.jobs().running().keySet().forEach(id -> positions.put(id, positions.size()));
    return Documents.write(
        json -> {
          writeEdition(json, state.edition());
          LimitDocuments.writeWorkers(json, state.limits(), workers);
          LimitDocuments.writeLimits(json, state.limits(), numbers, positions);
          writeJobs(json, state.jobs(), numbers);
          writeArchive(json, state.archive());
          Documents.writeTexts(json, "paused", new TreeSet<>(state.paused()));
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
                  Documents.readTexts(json.get("recent"))),
              readJobs(json, workers),
              LimitDocuments.read(json, workers),
              readArchive(json.get("archive")),
              Set.copyOf(Documents.readTexts(json.get("paused"))));
        });
  }

  private static void writeEdition(JsonGenerator json, Edition edition) throws IOException {
    json.writeNumberField("version", edition.version());
    json.writeStringField("nonce", edition.nonce());
    json.writeNumberField("time", edition.time());
    Documents.writeTexts(json, "recent", edition.recent());
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
      String heldBackBy = job.claim().heldBackBy();
      if (job.cancelRequested() || job.note() != null || heldBackBy != null) {
        json.writeBoolean(job.cancelRequested());
      }
      if (job.note() != null || heldBackBy != null) {
        json.writeString(job.note() == null ? null : Documents.storable(job.note()));
      }
      if (heldBackBy != null) {
        json.writeString(heldBackBy);
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
        new RunningJob.Claim(
            workers.get(job.get(3).intValue()),
            job.get(4).longValue(),
            job.size() > 9 ? job.get(9).textValue() : null),
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
    Documents.writeText(json, "heldBackBy", job.run().heldBackBy());
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
            Documents.text(json, "note"),
            Documents.text(json, "heldBackBy")),
        new FinishedJob.End(
            state(json),
            json.get("at").longValue(),
            Documents.text(json, "result"),
            json.has("failure") ? JobDocuments.readFailure(json.get("failure")) : null));
  }

  private static JobState state(JsonNode json) {
    return JobState.valueOf(json.get("state").textValue().toUpperCase(Locale.ROOT));
  }
}
