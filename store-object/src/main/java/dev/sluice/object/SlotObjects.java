package dev.sluice.object;

import dev.sluice.LimitLevel;
import dev.sluice.StoreIncompatibleException;
import dev.sluice.object.state.Documents;
import dev.sluice.object.state.LimitRule;
import dev.sluice.object.state.Micros;
import dev.sluice.object.state.RunningJob;
import dev.sluice.object.state.ShardState;
import dev.sluice.object.state.SlotHolder;
import java.time.Instant;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/**
 * What the objects below {@code concurrency/} say: one for each held slot, and one for the limits
 * of each group.
 */
final class SlotObjects {
  static final String JOB = "task_id";
  static final String WORKER = "worker_id";
  static final String EXPIRES_AT = "expires_at";
  static final String LEASE = "lease";

  private SlotObjects() {}

  /**
   * A held slot.
   *
   * @param named whether the job in it is said
   * @param leaseEnd when the lease of its worker ends; empty = the object refers to the lease
   */
  static Map<String, Object> held(
      ShardState state, SlotHolder holder, boolean named, Optional<Instant> leaseEnd) {
    Map<String, Object> content = new LinkedHashMap<>();
    RunningJob job = named ? state.jobs().running().get(holder.job()) : null;
    if (job != null || holder.permit() != null) {
      content.put(JOB, holder.holder().orElseThrow());
    }
    content.put(WORKER, holder.worker());
    Optional<Instant> end =
        holder.permit() == null
            ? leaseEnd
            : Optional.of(Micros.toInstant(holder.permit().expiresAt()));
    content.put(
        end.isPresent() ? EXPIRES_AT : LEASE,
        end.map(Instant::toString).orElseGet(() -> WorkerLeases.key(holder.worker())));
    content.put("token", holder.token());
    content.put(
        "since", Micros.toInstant(job == null ? holder.acquiredAt() : job.startedAt()).toString());
    return content;
  }

  /** The limits on record for a group. */
  static Map<String, Object> limits(LimitRule rule) {
    Map<String, Object> content = new LinkedHashMap<>();
    for (LimitLevel level : LimitLevel.values()) {
      if (rule.at(level) != null) {
        content.put(level.toString(), rule.at(level));
      }
    }
    return content;
  }

  /**
   * An object with this content.
   *
   * @param version of the commit that it shows
   */
  static ObjectBody body(String group, long version, String nonce, Map<String, Object> content) {
    byte[] bytes =
        Documents.write(
            json -> {
              json.writeStringField("group", group);
              json.writeNumberField("version", version);
              json.writeStringField("nonce", nonce);
              for (Map.Entry<String, Object> field : content.entrySet()) {
                if (field.getValue() instanceof Number number) {
                  json.writeNumberField(field.getKey(), number.longValue());
                } else {
                  json.writeStringField(
                      field.getKey(), Documents.storable(field.getValue().toString()));
                }
              }
            });
    return ObjectBody.withToken(bytes, nonce);
  }

  /** The version of the commit that an object shows; -1 if it is none of Sluice's. */
  static long versionOf(String name, StoredObject object) {
    try {
      return Documents.read(name, object.body(), json -> json.path("version").asLong(-1));
    } catch (StoreIncompatibleException e) {
      return -1;
    }
  }

  /** The keys of the slots that are held. */
  static Set<String> heldKeys(ShardState state) {
    Set<String> keys = new HashSet<>();
    state
        .limits()
        .slots()
        .forEach((group, held) -> held.keySet().forEach(n -> keys.add(GroupKeys.slot(group, n))));
    return keys;
  }

  /**
   * Deletes the objects of slots that are free: what was left by a process that died before it
   * could, or by a put that was carried out late.
   *
   * @param held reads which slots are held, by key, in all shards
   */
  static void sweep(ObjectStore store, Supplier<Set<String>> held) {
    // Listed before the slots are read: see SlotBoard for why a slot taken since then is not shown.
    List<String> keys =
        store.listAll(GroupKeys.PREFIX).stream()
            .map(ListedObject::key)
            .filter(GroupKeys::isSlot)
            .toList();
    if (keys.isEmpty()) {
      return;
    }
    Set<String> taken = held.get();
    List<String> free = keys.stream().filter(key -> !taken.contains(key)).toList();
    if (!free.isEmpty()) {
      store.deleteAll(free);
    }
  }
}
