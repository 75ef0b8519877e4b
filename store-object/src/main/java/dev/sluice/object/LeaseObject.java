package dev.sluice.object;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.Group;
import dev.sluice.object.state.Documents;
import dev.sluice.spi.WorkerRegistration;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What a lease object says.
 *
 * @param id the worker
 * @param registration what it said when it signed on
 * @param term its lease
 * @param bulletin what it published last
 * @param fenced whether an observer has given it up
 */
record LeaseObject(
    String id,
    WorkerRegistration registration,
    Term term,
    Optional<String> bulletin,
    boolean fenced) {
  /**
   * A lease. The two times are by the store's clock, and for people.
   *
   * @param length how long the worker may be silent, from when this object was sent
   * @param startedAt when it signed on
   * @param expiresAt until when it may be silent
   */
  record Term(Duration length, Instant startedAt, Instant expiresAt) {}

  /** How long it may be silent. */
  Duration lease() {
    return term.length;
  }

  LeaseObject fence() {
    return new LeaseObject(id, registration, term, bulletin, true);
  }

  ObjectBody body(String nonce) {
    byte[] bytes =
        Documents.write(
            json -> {
              json.writeStringField("id", id);
              writeRegistration(json);
              json.writeStringField("state", fenced ? "fenced" : "live");
              json.writeNumberField("leaseMillis", term.length.toMillis());
              json.writeStringField("startedAt", term.startedAt.toString());
              json.writeStringField("expiresAt", term.expiresAt.toString());
              json.writeStringField("nonce", nonce);
              if (bulletin.isPresent()) {
                json.writeStringField("bulletin", Documents.storable(bulletin.get()));
              }
            });
    return ObjectBody.withToken(bytes, nonce);
  }

  private void writeRegistration(JsonGenerator json) throws IOException {
    json.writeStringField("name", Documents.storable(registration.name()));
    Documents.writeTexts(json, "queues", new TreeSet<>(registration.queues()));
    Documents.writeTexts(json, "tasks", new TreeSet<>(registration.tasks()));
    json.writeObjectFieldStart("limits");
    for (Map.Entry<Group, Integer> limit : new TreeMap<>(registration.limits()).entrySet()) {
      json.writeNumberField(limit.getKey().toString(), limit.getValue());
    }
    json.writeEndObject();
    json.writeNumberField("registeredMillis", registration.lease().toMillis());
  }

  /**
   * Reads one.
   *
   * @param name what operators know its key as
   */
  static LeaseObject read(String name, StoredObject object) {
    return Documents.read(
        name,
        object.body(),
        json ->
            new LeaseObject(
                json.get("id").textValue(),
                readRegistration(json),
                new Term(
                    Duration.ofMillis(json.get("leaseMillis").longValue()),
                    Instant.parse(json.get("startedAt").textValue()),
                    Instant.parse(json.get("expiresAt").textValue())),
                Optional.ofNullable(json.get("bulletin")).map(JsonNode::textValue),
                json.get("state").textValue().equals("fenced")));
  }

  private static WorkerRegistration readRegistration(JsonNode json) {
    Map<Group, Integer> limits = new HashMap<>();
    json.get("limits")
        .properties()
        .forEach(limit -> limits.put(Group.parse(limit.getKey()), limit.getValue().intValue()));
    return new WorkerRegistration(
        json.get("name").textValue(),
        texts(json.get("queues")),
        texts(json.get("tasks")),
        Map.copyOf(limits),
        Duration.ofMillis(json.get("registeredMillis").longValue()));
  }

  private static Set<String> texts(JsonNode json) {
    return Set.copyOf(new HashSet<>(Documents.readTexts(json)));
  }
}
