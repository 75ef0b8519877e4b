package dev.sluice.object;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.object.state.Documents;
import dev.sluice.object.state.Micros;
import dev.sluice.spi.RunStore.Run;
import dev.sluice.spi.RunStore.Texts;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** Runs of workflows as JSON objects. */
final class RunDocuments {
  private RunDocuments() {}

  /**
   * A run as its object has it. Times are microseconds since 1970, by the store's clock.
   *
   * @param run what was written
   * @param version counts the writes
   * @param createdAt when it was created
   * @param updatedAt when this was written
   * @param marker the name of the marker that says it is live; empty = it is not
   * @param writes the nonces of this write and some before it, newest first
   */
  record RunDocument(
      Run run, long version, long createdAt, long updatedAt, String marker, List<String> writes) {
    static final int WRITES = 50;

    /** These nonces with one more, and without those that are too old. */
    static List<String> writes(String nonce, List<String> before) {
      List<String> writes = new ArrayList<>(List.of(nonce));
      writes.addAll(before.subList(0, Math.min(before.size(), WRITES - 1)));
      return List.copyOf(writes);
    }

    String nonce() {
      return writes.get(0);
    }

    /** Which write made this version of the run; empty if it is too old, or not there yet. */
    Optional<String> writeOf(long which) {
      long back = version - which;
      return back >= 0 && back < writes.size()
          ? Optional.of(writes.get((int) back))
          : Optional.empty();
    }

    Optional<Long> attentionAt() {
      return run.attention().map(after -> updatedAt + Micros.of(after));
    }
  }

  static byte[] write(RunDocument document) {
    Run run = document.run();
    return Documents.write(
        json -> {
          json.writeNumberField("version", document.version());
          json.writeFieldName("writes");
          json.writeArray(document.writes().toArray(String[]::new), 0, document.writes().size());
          json.writeStringField("id", run.id().toString());
          json.writeStringField("type", run.type());
          json.writeStringField("state", run.state());
          json.writeBooleanField("live", run.live());
          json.writeStringField("marker", document.marker());
          json.writeNumberField("createdAt", document.createdAt());
          json.writeNumberField("updatedAt", document.updatedAt());
          if (run.attention().isPresent()) {
            json.writeNumberField("attention", Micros.of(run.attention().get()));
          }
          json.writeStringField("charter", run.texts().charter());
          json.writeStringField("content", run.texts().content());
        });
  }

  /** What stands in place of a run that is being removed. */
  static byte[] writeRemoved(String nonce) {
    return Documents.write(
        json -> {
          json.writeStringField("nonce", nonce);
          json.writeBooleanField("removed", true);
        });
  }

  /** Reads a run; empty if it is being removed. */
  static Optional<RunDocument> read(String key, byte[] body) {
    return Documents.read(
        key,
        body,
        json ->
            json.path("removed").asBoolean()
                ? Optional.empty()
                : Optional.of(
                    new RunDocument(
                        new Run(
                            UUID.fromString(json.get("id").textValue()),
                            json.get("type").textValue(),
                            json.get("state").textValue(),
                            json.get("live").booleanValue(),
                            json.has("attention")
                                ? Optional.of(Micros.toDuration(json.get("attention").longValue()))
                                : Optional.empty(),
                            new Texts(
                                json.get("charter").textValue(), json.get("content").textValue())),
                        json.get("version").longValue(),
                        json.get("createdAt").longValue(),
                        json.get("updatedAt").longValue(),
                        json.get("marker").textValue(),
                        writes(json.get("writes")))));
  }

  private static List<String> writes(JsonNode json) {
    List<String> writes = new ArrayList<>();
    json.forEach(nonce -> writes.add(nonce.textValue()));
    return List.copyOf(writes);
  }
}
