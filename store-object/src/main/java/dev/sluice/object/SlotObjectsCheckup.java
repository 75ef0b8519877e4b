package dev.sluice.object;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.StoreIncompatibleException;
import dev.sluice.object.state.Documents;
import dev.sluice.object.state.ShardState;
import dev.sluice.object.state.SlotHolder;
import dev.sluice.spi.Checkup;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Compares the slot objects with the control objects. They follow those by a moment, so what
 * differs is looked at again, and counts if it is the same then.
 */
final class SlotObjectsCheckup {
  private static final int SHOWN = 5;
  private static final int MOST_READ = 1_000;
  private static final Duration AGAIN_AFTER = SlotBoard.LAG.multipliedBy(8);
  private static final String REMEDY =
      "They decide nothing. Workers write those of their slots anew when they renew their leases;"
          + " 'sluice doctor --fix' deletes those of free slots.";

  private final Checkup checkup;
  private final ObjectStore store;

  /**
   * An examination.
   *
   * @param store the objects of the namespace
   */
  SlotObjectsCheckup(Checkup checkup, ObjectStore store) {
    this.checkup = checkup;
    this.store = store;
  }

  /** Something that is not as it should be: told from others by what the object and slot are. */
  private record Difference(String seen, String identity) {}

  /** A held slot. */
  private record Held(int slot, SlotHolder holder, String group) {}

  /** Compares; whether that could be done. */
  boolean run() {
    Map<String, Difference> differences = differences();
    if (!differences.isEmpty()) {
      try {
        Thread.sleep(AGAIN_AFTER.toMillis());
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return false;
      }
      Map<String, Difference> again = differences();
      differences.entrySet().removeIf(d -> !d.getValue().equals(again.get(d.getKey())));
    }
    if (differences.isEmpty()) {
      checkup.good("slots", "the slot objects say what the control object says");
      return true;
    }
    String seen =
        differences.values().stream()
            .limit(SHOWN)
            .map(Difference::seen)
            .collect(Collectors.joining("; "));
    int more = differences.size() - SHOWN;
    checkup.bad("slots", more > 0 ? seen + "; and %d more".formatted(more) : seen, REMEDY);
    return true;
  }

  /** What differs, by key. */
  private Map<String, Difference> differences() {
    Map<String, Optional<JsonNode>> objects = new TreeMap<>();
    List<String> keys =
        store.listAll(GroupKeys.PREFIX).stream()
            .map(ListedObject::key)
            .filter(GroupKeys::isSlot)
            .limit(MOST_READ)
            .toList();
    for (String key : keys) {
      store.get(key).ifPresent(object -> objects.put(key, parse(key, object)));
    }
    Map<String, Held> held = held();
    Map<String, Difference> differences = new TreeMap<>();
    objects.forEach(
        (key, object) ->
            difference(key, object, held.get(key)).ifPresent(d -> differences.put(key, d)));
    held.forEach(
        (key, slot) -> {
          if (!keys.contains(key) && keys.size() < MOST_READ) {
            differences.put(
                key,
                new Difference(
                    "slot %d of '%s' is held, and no object shows it"
                        .formatted(slot.slot, slot.group),
                    String.valueOf(slot.holder.token())));
          }
        });
    return differences;
  }

  private Optional<JsonNode> parse(String key, StoredObject object) {
    try {
      return Optional.of(Documents.read(store.nameOf(key), object.body(), json -> json));
    } catch (StoreIncompatibleException e) {
      return Optional.empty();
    }
  }

  /** The held slots of all shards, by key. */
  private Map<String, Held> held() {
    Map<String, Held> held = new TreeMap<>();
    for (int shard = 0; shard < StoreFormat.read(store).shards(); shard++) {
      ShardState state = new ControlObject(ObjectJobStore.shard(store, shard)).load().state();
      state
          .limits()
          .slots()
          .forEach(
              (group, slots) ->
                  slots.forEach(
                      (slot, holder) ->
                          held.put(GroupKeys.slot(group, slot), new Held(slot, holder, group))));
    }
    return held;
  }

  private Optional<Difference> difference(String key, Optional<JsonNode> object, Held slot) {
    String name = store.nameOf(key);
    if (object.isEmpty()) {
      return Optional.of(new Difference("'%s' is none of Sluice's".formatted(name), ""));
    }
    JsonNode said = object.get();
    String nonce = said.path("nonce").asText();
    if (slot == null) {
      return Optional.of(new Difference("'%s' shows a slot that is free".formatted(name), nonce));
    }
    String job = said.path(SlotObjects.JOB).asText("none");
    String worker = said.path(SlotObjects.WORKER).asText("none");
    List<String> wrong = new ArrayList<>();
    if (!worker.equals(slot.holder.worker())) {
      wrong.add("worker %s, which is %s".formatted(worker, slot.holder.worker()));
    }
    if (!job.equals(slot.holder.holder().orElse("none"))) {
      wrong.add("job %s, which is %s".formatted(job, slot.holder.holder().orElse("none")));
    }
    if (isOutOfDate(said, slot.holder)) {
      wrong.add("a lease that ended at " + said.get(SlotObjects.EXPIRES_AT).asText());
    }
    return wrong.isEmpty()
        ? Optional.empty()
        : Optional.of(
            new Difference("'%s' names %s".formatted(name, String.join(", and ", wrong)), nonce));
  }

  /** Whether the end of the lease has passed, of a worker that has renewed it since. */
  private boolean isOutOfDate(JsonNode said, SlotHolder holder) {
    if (!said.has(SlotObjects.EXPIRES_AT) || holder.permit() != null) {
      return false;
    }
    String key = WorkerLeases.key(holder.worker());
    Instant end;
    try {
      end = Instant.parse(said.get(SlotObjects.EXPIRES_AT).asText());
    } catch (DateTimeParseException e) {
      return true;
    }
    return store
        .get(key)
        .map(object -> LeaseObject.read(store.nameOf(key), object).term())
        .filter(term -> term.expiresAt().minus(term.length()).isAfter(end))
        .isPresent();
  }
}
