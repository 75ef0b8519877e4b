package dev.sluice.object;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.LeaseLostException;
import dev.sluice.SluiceException;
import dev.sluice.StoreIncompatibleException;
import dev.sluice.object.PutResult.Stored;
import dev.sluice.object.state.Documents;
import dev.sluice.object.state.Micros;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The leases of workers: one object each, which its worker replaces to show that it lives.
 *
 * <pre>
 *             renewed by its worker
 *   created ─────▶ live ─────────────▶ removed, after its worker signed off
 *                   │ unchanged for a whole lease, by the observer's own monotonic clock
 *                   ▼
 *                 fenced ────────────▶ removed, after its jobs were given back
 * </pre>
 *
 * <p>No two clocks are compared. An observer notes when it first saw the object in its present
 * state; once a lease's length has passed since then, by the clock that noted it, the worker's own
 * clock must have run at least as long since it sent that renewal, and the worker has stopped
 * relying on it. Then the observer replaces the object by one that says <em>fenced</em>. A renewal
 * on its way loses against that, or the other way round; so a worker whose renewal succeeded is not
 * fenced, and a fenced one learns it from its next renewal. Only after that are its jobs given
 * back, by a commit that also takes the worker off the list of those whose steps count. If the
 * observer dies between the two, the next one finds the object fenced and goes on.
 *
 * <p>The times in the objects are for people.
 */
final class WorkerLeases {
  private static final Logger log = LoggerFactory.getLogger(WorkerLeases.class);
  static final String PREFIX = "workers/";
  private static final String SUFFIX = ".json";

  private final ObjectStore store;
  private final StoreEnvironment environment;
  private final StoreClock clock;
  private final DamagedObjects damaged;
  private final Map<String, Observation> observations = new HashMap<>();

  private record Observation(String tag, long since, Duration lease) {}

  /**
   * What a lease object says.
   *
   * @param id the worker
   * @param name for operators
   * @param lease how long it may be silent
   * @param expiresAt until when that is, by the store's clock
   * @param fenced whether an observer has given it up
   */
  record LeaseObject(String id, String name, Duration lease, Instant expiresAt, boolean fenced) {
    LeaseObject fence() {
      return new LeaseObject(id, name, lease, expiresAt, true);
    }
  }

  WorkerLeases(
      ObjectStore store, StoreEnvironment environment, StoreClock clock, DamagedObjects damaged) {
    this.store = store;
    this.environment = environment;
    this.clock = clock;
    this.damaged = damaged;
  }

  private static String key(String id) {
    return PREFIX + id + SUFFIX;
  }

  private ObjectBody body(LeaseObject lease) {
    String nonce = environment.nonce();
    byte[] bytes =
        Documents.write(
            json -> {
              json.writeStringField("id", lease.id);
              json.writeStringField("name", lease.name);
              json.writeStringField("state", lease.fenced ? "fenced" : "live");
              json.writeNumberField("leaseMillis", lease.lease.toMillis());
              json.writeStringField("expiresAt", lease.expiresAt.toString());
              json.writeStringField("nonce", nonce);
            });
    return ObjectBody.withToken(bytes, nonce);
  }

  static LeaseObject read(String name, StoredObject object) {
    return Documents.read(
        name,
        object.body(),
        (JsonNode json) ->
            new LeaseObject(
                json.get("id").textValue(),
                json.get("name").textValue(),
                Duration.ofMillis(json.get("leaseMillis").longValue()),
                Instant.parse(json.get("expiresAt").textValue()),
                json.get("state").textValue().equals("fenced")));
  }

  /**
   * The lease of one worker, in that worker's hands: one for all shards it works in. Thread-safe.
   */
  final class Held {
    private final String id;
    private final String name;
    private final AtomicLong endsAt = new AtomicLong();
    private String tag;
    private volatile Instant expiresAt;

    private Held(String id, String name) {
      this.id = id;
      this.name = name;
      this.endsAt.set(environment.nanoTime().getAsLong());
    }

    String worker() {
      return id;
    }

    /** Whether it is over, by the worker's own clock, since the last renewal was sent. */
    boolean isOverdue() {
      return environment.nanoTime().getAsLong() - endsAt.get() >= 0;
    }

    /** What to tell a worker whose lease is over. */
    LeaseLostException overdue() {
      return new LeaseLostException(
          "Worker %s (%s) lost its lease; what it held may be someone else's now."
              .formatted(id, name));
    }

    /** When it runs out, by the store's clock; does not wait for a renewal under way. */
    Instant expiresAt() {
      return expiresAt;
    }

    /**
     * Shows that the worker lives.
     *
     * @param lease how long it may be silent from now on; never shortens what was promised
     * @throws LeaseLostException if it was given up
     */
    synchronized void renew(Duration lease) {
      long sent = environment.nanoTime().getAsLong();
      // Longer than asked for if an earlier renewal promised more, by the clock that relies on it.
      Duration length =
          Duration.ofMillis(1 + Math.max(lease.toNanos(), endsAt.get() - sent) / 1_000_000);
      Instant promised = Micros.toInstant(clock.latest()).plus(length);
      LeaseObject next = new LeaseObject(id, name, length, promised, false);
      PutResult result = put(next);
      if (!(result instanceof Stored)) {
        // Fenced, or overtaken by a renewal of our own that was late.
        readAgain(null);
        result = put(next);
      }
      if (!(result instanceof Stored stored)) {
        throw lost(null);
      }
      tag = stored.tag();
      expiresAt = promised;
      endsAt.accumulateAndGet(sent + lease.toNanos(), (a, b) -> b - a > 0 ? b : a);
    }

    private PutResult put(LeaseObject next) {
      ObjectBody body = body(next);
      try {
        return tag == null
            ? store.putIfAbsent(key(id), body)
            : store.putIfMatch(key(id), body, tag);
      } catch (UnknownOutcomeException e) {
        readAgain(e);
        throw e;
      }
    }

    private LeaseLostException lost(Throwable cause) {
      return new LeaseLostException(
          "The lease of worker %s (%s) was given up by another process.".formatted(id, name),
          cause);
    }

    /** What the object is now, so that the next renewal can follow. */
    private void readAgain(UnknownOutcomeException unknown) {
      Optional<StoredObject> object = store.get(key(id));
      if (object.isEmpty() ? tag != null : read(store.nameOf(key(id)), object.get()).fenced) {
        throw lost(unknown);
      }
      object.ifPresent(found -> tag = found.tag());
    }
  }

  /** Begins the lease of a new worker. */
  Held open(String id, String name, Duration lease) {
    Held held = new Held(id, name);
    held.renew(lease);
    return held;
  }

  /** Removes the lease of a worker whose standing has ended. */
  void remove(String id) {
    store.delete(key(id));
    synchronized (observations) {
      observations.remove(id);
    }
  }

  /** The same, for a worker that has signed off: if it does not work, the lease runs out. */
  void end(String id) {
    try {
      remove(id);
    } catch (SluiceException e) {
      log.debug("The lease of worker {} is left to run out.", id, e);
    }
  }

  /** What the lease object of this worker says. */
  Optional<LeaseObject> find(String id) {
    return store.get(key(id)).map(object -> read(store.nameOf(key(id)), object));
  }

  /**
   * Gives up workers that were silent for too long.
   *
   * @param known workers whose steps count
   * @param overdue workers of this process that know themselves to be late
   * @return workers that are dead for good, by whoever's hand
   */
  List<String> fenceSilent(Set<String> known, Set<String> overdue) {
    List<String> dead = new ArrayList<>();
    Set<String> missing = new HashSet<>(known);
    Set<String> listed = new HashSet<>();
    for (ListedObject object : store.listAll(PREFIX)) {
      if (!object.key().endsWith(SUFFIX)) {
        continue;
      }
      String id = object.key().substring(PREFIX.length(), object.key().length() - SUFFIX.length());
      missing.remove(id);
      listed.add(id);
      if (isDead(id, object.tag(), overdue)) {
        dead.add(id);
      }
    }
    synchronized (observations) {
      observations.keySet().retainAll(listed);
    }
    for (String id : missing) {
      // A list may pass over what is replaced while it is made.
      if (store.get(key(id)).isEmpty()) {
        // Nobody removes a lease before the worker's standing has ended; someone else did.
        dead.add(id);
      }
    }
    return dead;
  }

  /** Whether it is fenced by now. Of a lease that cannot be read nobody knows how long it lasts. */
  private boolean isDead(String id, String tag, Set<String> overdue) {
    try {
      boolean dead = (overdue.contains(id) || isSilent(id, tag)) && fence(id, overdue);
      damaged.readable(key(id));
      return dead;
    } catch (StoreIncompatibleException e) {
      damaged.found(
          key(id), e, "If it is the lease of a worker that is gone, removing it frees its jobs.");
      return false;
    }
  }

  private boolean isSilent(String id, String tag) {
    long now = environment.nanoTime().getAsLong();
    Observation seen;
    synchronized (observations) {
      seen = observations.get(id);
    }
    if (seen == null || !seen.tag.equals(tag)) {
      Optional<LeaseObject> lease = find(id);
      synchronized (observations) {
        lease.ifPresent(found -> observations.put(id, new Observation(tag, now, found.lease)));
      }
      return false;
    }
    return now - seen.since >= seen.lease.toNanos();
  }

  /** Fences a worker if its object is still as it was observed; whether it is fenced now. */
  private boolean fence(String id, Set<String> overdue) {
    Optional<StoredObject> object = store.get(key(id));
    if (object.isEmpty()) {
      return false;
    }
    LeaseObject lease = read(store.nameOf(key(id)), object.get());
    if (lease.fenced) {
      return true;
    }
    if (!overdue.contains(id) && !isSilent(id, object.get().tag())) {
      return false;
    }
    try {
      return store.putIfMatch(key(id), body(lease.fence()), object.get().tag()) instanceof Stored;
    } catch (UnknownOutcomeException e) {
      // By us or by another observer: fenced is fenced. Else the worker lives until the next look.
      return find(id).map(LeaseObject::fenced).orElse(false);
    }
  }
}
