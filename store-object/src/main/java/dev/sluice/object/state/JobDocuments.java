package dev.sluice.object.state;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.JobFailure;
import dev.sluice.JobState;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.UUID;

/** Segments and objects of the archive as JSON: a list of jobs each. */
public final class JobDocuments {
  private JobDocuments() {}

  /** A segment. The token tells this write from others. */
  public static byte[] writeSegment(List<JobRecord> jobs, String token) {
    return Documents.write(
        json -> {
          json.writeStringField("token", token);
          json.writeArrayFieldStart("jobs");
          for (JobRecord job : jobs) {
            json.writeStartObject();
            writeRecord(json, job);
            json.writeEndObject();
          }
          json.writeEndArray();
        });
  }

  /**
   * Reads a segment.
   *
   * @param name what operators know its key as
   */
  public static Segment readSegment(String key, String name, byte[] body) {
    return Documents.read(
        name,
        body,
        json -> {
          List<JobRecord> jobs = new ArrayList<>(json.get("jobs").size());
          json.get("jobs").forEach(job -> jobs.add(readRecord(job)));
          return new Segment(key, jobs);
        });
  }

  /** An object of the archive: the same bytes from whoever writes it. */
  public static byte[] writeArchive(List<ArchivedJob> jobs) {
    return Documents.write(
        json -> {
          json.writeArrayFieldStart("jobs");
          for (ArchivedJob job : jobs) {
            json.writeStartObject();
            writeRecord(json, job.record());
            json.writeStringField("state", job.state().toString());
            json.writeNumberField("finishedAt", job.finishedAt());
            Documents.writeText(json, "result", job.result());
            Documents.writeText(json, "note", job.note());
            json.writeEndObject();
          }
          json.writeEndArray();
        });
  }

  /** Reads an object of the archive. */
  public static List<ArchivedJob> readArchive(String key, byte[] body) {
    return Documents.read(
        key,
        body,
        json -> {
          List<ArchivedJob> jobs = new ArrayList<>();
          for (JsonNode job : json.get("jobs")) {
            jobs.add(
                new ArchivedJob(
                    readRecord(job),
                    JobState.valueOf(job.get("state").textValue().toUpperCase(Locale.ROOT)),
                    job.get("finishedAt").longValue(),
                    Documents.text(job, "result"),
                    Documents.text(job, "note")));
          }
          return jobs;
        });
  }

  private static void writeRecord(JsonGenerator json, JobRecord job) throws IOException {
    JobRecord.Spec spec = job.spec();
    json.writeStringField("id", job.id().toString());
    json.writeStringField("task", spec.task());
    json.writeStringField("queue", spec.place().queue());
    if (spec.place().priority() != 0) {
      json.writeNumberField("priority", spec.place().priority());
    }
    json.writeNumberField("submittedAt", spec.timing().submittedAt());
    if (spec.timing().runAt() != spec.timing().submittedAt()) {
      json.writeNumberField("runAt", spec.timing().runAt());
    }
    Documents.writeNumber(json, "timeoutMillis", spec.timing().timeoutMillis());
    if (!spec.bond().groups().isEmpty()) {
      json.writeArrayFieldStart("groups");
      for (String group : spec.bond().groups()) {
        json.writeString(group);
      }
      json.writeEndArray();
    }
    Documents.writeText(json, "limited", spec.bond().limited());
    Documents.writeNumber(json, "limit", spec.bond().limit());
    if (spec.bond().refiled()) {
      json.writeBooleanField("refiled", true);
    }
    if (spec.entry().explicit()) {
      json.writeBooleanField("explicit", true);
    }
    Documents.writeText(json, "dedupeKey", spec.entry().dedupeKey());
    if (spec.entry().reject()) {
      json.writeBooleanField("reject", true);
    }
    if (spec.entry().owner() != null) {
      json.writeStringField("run", spec.entry().owner().run().toString());
      json.writeNumberField("runSince", spec.entry().owner().since());
    }
    Documents.writeText(json, "trace", spec.entry().trace());
    json.writeStringField("payload", Documents.storable(spec.payload()));
    writePast(json, job.past());
  }

  private static void writePast(JsonGenerator json, JobRecord.Past past) throws IOException {
    if (past.attempt() != 0) {
      json.writeNumberField("attempt", past.attempt());
    }
    Documents.writeText(json, "worker", past.worker());
    Documents.writeNumber(json, "startedAt", past.startedAt());
    Documents.writeText(json, "heldBackBy", past.heldBackBy());
    if (!past.failures().isEmpty()) {
      json.writeArrayFieldStart("failures");
      for (JobFailure failure : past.failures()) {
        writeFailure(json, failure);
      }
      json.writeEndArray();
    }
  }

  static void writeFailure(JsonGenerator json, JobFailure failure) throws IOException {
    json.writeStartObject();
    json.writeNumberField("attempt", failure.attempt());
    json.writeStringField("at", failure.at().toString());
    json.writeStringField("type", Documents.storable(failure.type()));
    json.writeStringField("message", Documents.storable(failure.message()));
    json.writeStringField("stackTrace", Documents.storable(failure.stackTrace()));
    json.writeEndObject();
  }

  private static JobRecord readRecord(JsonNode json) {
    long submittedAt = json.get("submittedAt").longValue();
    Long runAt = Documents.number(json, "runAt");
    List<String> groups = new ArrayList<>();
    json.path("groups").forEach(group -> groups.add(group.textValue()));
    Integer limit = Documents.integer(json, "limit");
    String limited = Documents.text(json, "limited");
    boolean refiled = json.path("refiled").asBoolean();
    JobRecord.Bond bond =
        groups.isEmpty() && limited == null && !refiled
            ? JobRecord.Bond.NONE
            : new JobRecord.Bond(List.copyOf(groups), limited, limit, refiled);
    JobRecord.Entry entry =
        new JobRecord.Entry(
            json.path("explicit").asBoolean(),
            Documents.text(json, "dedupeKey"),
            json.path("reject").asBoolean(),
            json.has("run")
                ? new JobRecord.Owner(
                    UUID.fromString(json.get("run").textValue()), json.get("runSince").longValue())
                : null,
            Documents.text(json, "trace"));
    return new JobRecord(
        UUID.fromString(json.get("id").textValue()),
        new JobRecord.Spec(
            json.get("task").textValue(),
            new JobRecord.Place(json.get("queue").textValue(), json.path("priority").asInt(0)),
            new JobRecord.Timing(
                submittedAt,
                runAt == null ? submittedAt : runAt,
                Documents.number(json, "timeoutMillis")),
            bond,
            entry,
            json.get("payload").textValue()),
        readPast(json));
  }

  private static JobRecord.Past readPast(JsonNode json) {
    boolean untouched =
        !json.has("attempt")
            && !json.has("failures")
            && !json.has("worker")
            && !json.has("heldBackBy");
    if (untouched) {
      return JobRecord.Past.NONE;
    }
    List<JobFailure> failures = new ArrayList<>();
    json.path("failures").forEach(failure -> failures.add(readFailure(failure)));
    return new JobRecord.Past(
        json.path("attempt").asInt(0),
        List.copyOf(failures),
        Documents.text(json, "worker"),
        Documents.number(json, "startedAt"),
        Documents.text(json, "heldBackBy"));
  }

  static JobFailure readFailure(JsonNode json) {
    return new JobFailure(
        json.get("attempt").intValue(),
        Instant.parse(json.get("at").textValue()),
        json.get("type").textValue(),
        json.get("message").textValue(),
        json.get("stackTrace").textValue());
  }
}
