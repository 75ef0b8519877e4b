package dev.sluice.object;

import dev.sluice.object.state.Documents;
import dev.sluice.object.state.Micros;
import dev.sluice.spi.ScheduleStore.Entry;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A schedule as its object has it, or what is left of one that was deleted.
 *
 * @param entry what was written; of a deleted one only the name counts
 * @param version counts the writes, deletions included
 * @param updatedAt when this was written, in microseconds by the store's clock
 * @param deleted whether it was deleted
 * @param writes the nonces of this write and some before it, newest first
 */
record ScheduleDocument(
    Entry entry, long version, long updatedAt, boolean deleted, List<String> writes) {
  private static final int REMEMBERED_WRITES = 20;

  /** The version after this one. */
  ScheduleDocument next(Entry with, boolean delete, long now, String nonce) {
    List<String> all = new ArrayList<>(List.of(nonce));
    all.addAll(writes.subList(0, Math.min(writes.size(), REMEMBERED_WRITES - 1)));
    return new ScheduleDocument(
        with, version + 1, Math.max(now, updatedAt), delete, List.copyOf(all));
  }

  /** What a name has that nobody has used. */
  static ScheduleDocument unused(String name) {
    return new ScheduleDocument(
        new Entry(name, "", Optional.empty()), 0, Long.MIN_VALUE, true, List.of());
  }

  /** Which write made this version; empty if it is too long ago, or yet to come. */
  Optional<String> writeOf(long which) {
    long back = version - which;
    return back >= 0 && back < writes.size()
        ? Optional.of(writes.get((int) back))
        : Optional.empty();
  }

  ObjectBody body() {
    byte[] bytes =
        Documents.write(
            json -> {
              json.writeStringField("name", Documents.storable(entry.name()));
              json.writeNumberField("version", version);
              json.writeNumberField("updatedAt", updatedAt);
              Documents.writeTexts(json, "writes", writes);
              if (deleted) {
                json.writeBooleanField("deleted", true);
              } else {
                json.writeStringField("text", Documents.storable(entry.text()));
              }
              if (entry.next().isPresent()) {
                json.writeStringField("next", entry.next().get().toString());
              }
            });
    return ObjectBody.withToken(bytes, writes.get(0));
  }

  static ScheduleDocument read(String name, StoredObject object) {
    return Documents.read(
        name,
        object.body(),
        json -> {
          boolean deleted = json.path("deleted").asBoolean();
          return new ScheduleDocument(
              new Entry(
                  json.get("name").textValue(),
                  deleted ? "" : json.get("text").textValue(),
                  json.has("next")
                      ? Optional.of(Instant.parse(json.get("next").textValue()))
                      : Optional.empty()),
              json.get("version").longValue(),
              json.get("updatedAt").longValue(),
              deleted,
              Documents.readTexts(json.get("writes")));
        });
  }

  /** Since when it is due, if it is by then. */
  Optional<Instant> dueBy(long now) {
    return entry.next().filter(next -> Micros.notBefore(next) <= now);
  }
}
