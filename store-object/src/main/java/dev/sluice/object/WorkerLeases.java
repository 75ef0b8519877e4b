package dev.sluice.object;

import dev.sluice.LeaseLostException;
import dev.sluice.SluiceException;
import dev.sluice.StoreIncompatibleException;
import dev.sluice.object.LeaseObject.Term;
import dev.sluice.object.PutResult.Stored;
import dev.sluice.object.state.Micros;
import dev.sluice.spi.WorkerRegistration;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
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
 * observer dies between the two, the next one finds the object fenced and goes on at once: what is
 * fenced stays so, and there is nothing to wait for.
 *
 * <p><b>How long it takes.</b> From when an observer first sees the object as its worker left it,
 * one lease, because it looks again just then ({@link #firstEnd}) and not only when it would
 * anyway. As long as a worker renews, the object changes between two looks, and there is no look
 * more.
 *
 * <p><b>A process knows its own workers better.</b> Of one that is late by its own clock it need
 * not wait for silence: it may fence it at once, over whatever the object says, a renewal included
 * that has happened and whose answer is on its way. That is safe because being overdue is final
 * ({@link LeaseEnd}): once anything in the process has found the lease over, no renewal makes it
 * last again, and its worker is told that it is lost.
 *
 * <p>A suspended machine is no exception. An observer's monotonic clock stands still meanwhile, so
 * it fences later, never earlier. A worker counts the time of a suspension as passed, in {@code
 * dev.sluice.internal.ElapsedClock}, so it stops relying on its lease no later.
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

  /** What leases said, as long as a list shows them under the same tag. */
  private final Map<String, Seen> seen = new ConcurrentHashMap<>();

  private record Observation(String tag, long since, Duration lease) {}

  private record Seen(String tag, LeaseObject lease) {}

  WorkerLeases(
      ObjectStore store, StoreEnvironment environment, StoreClock clock, DamagedObjects damaged) {
    this.store = store;
    this.environment = environment;
    this.clock = clock;
    this.damaged = damaged;
  }

  /** What time it is by the store's clock. */
  Instant now() {
    return Micros.toInstant(clock.now());
  }

  static String key(String id) {
    return PREFIX + id + SUFFIX;
  }

  /**
   * The lease of one worker, in that worker's hands: one for all shards it works in. Thread-safe.
   */
  final class Held {
    private final String id;
    private final WorkerRegistration registration;
    private final Instant startedAt = Micros.toInstant(clock.now());
    private final LeaseEnd end;
    private String tag;
    private volatile Instant expiresAt;
    private volatile String bulletin;

    private Held(String id, WorkerRegistration registration) {
      this.id = id;
      this.registration = registration;
      this.end = new LeaseEnd(environment.nanoTime().getAsLong() + registration.lease().toNanos());
    }

    String worker() {
      return id;
    }

    /**
     * Whether it is over, by the worker's own clock, since the last renewal was sent. Then it is so
     * for good: a renewal under way does not count any more, and the worker may be fenced at once.
     */
    boolean isOverdue() {
      return end.isOver(environment.nanoTime().getAsLong());
    }

    /** What to tell a worker whose lease is over. */
    LeaseLostException overdue() {
      return new LeaseLostException(
          "Worker %s (%s) lost its lease; what it held may be someone else's now."
              .formatted(id, registration.name()));
    }

    /** When it runs out, by the store's clock; does not wait for a renewal under way. */
    Instant expiresAt() {
      return expiresAt;
    }

    /**
     * Puts what the worker has to tell on record: at once where a write costs nothing, else with
     * the next renewal. The lease lasts no longer for it.
     */
    void publish(String text) {
      bulletin = text;
      if (!store.isPaidFor()) {
        renew(Duration.ZERO);
      }
    }

    /**
     * Shows that the worker lives.
     *
     * @param lease how long it may be silent from now on; never shortens what was promised
     * @throws LeaseLostException if it was given up, by another process or by this one, before or
     *     while the renewal was under way
     */
    synchronized void renew(Duration lease) {
      long sent = environment.nanoTime().getAsLong();
      if (end.isOver(sent)) {
        throw overdue();
      }
      // Longer than asked for if an earlier renewal promised more, by the clock that relies on it.
      Duration length =
          Duration.ofMillis(1 + Math.max(lease.toNanos(), end.left(sent)) / 1_000_000);
      Instant promised = Micros.toInstant(clock.latest()).plus(length);
      LeaseObject next =
          new LeaseObject(
              id,
              registration,
              new Term(length, startedAt, promised),
              Optional.ofNullable(bulletin),
              false);
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
      if (!end.extend(sent + lease.toNanos())) {
        throw overdue();
      }
    }

    private PutResult put(LeaseObject next) {
      ObjectBody body = next.body(environment.nonce());
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
          "The lease of worker %s (%s) was given up by another process."
              .formatted(id, registration.name()),
          cause);
    }

    /** What the object is now, so that the next renewal can follow. */
    private void readAgain(UnknownOutcomeException unknown) {
      Optional<StoredObject> object = store.get(key(id));
      if (object.isEmpty()
          ? tag != null
          : LeaseObject.read(store.nameOf(key(id)), object.get()).fenced()) {
        throw lost(unknown);
      }
      object.ifPresent(found -> tag = found.tag());
    }
  }

  /** Begins the lease of a new worker. */
  Held open(String id, WorkerRegistration registration) {
    Held held = new Held(id, registration);
    held.renew(registration.lease());
    return held;
  }

  /** Removes the lease of a worker whose standing has ended. */
  void remove(String id) {
    store.delete(key(id));
    seen.remove(id);
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
    Optional<Seen> found =
        store
            .get(key(id))
            .map(object -> new Seen(object.tag(), LeaseObject.read(store.nameOf(key(id)), object)));
    if (found.isPresent()) {
      seen.put(id, found.get());
    } else {
      seen.remove(id);
    }
    return found.map(Seen::lease);
  }

  /** The same, read only if it is not known under this tag. */
  private Optional<LeaseObject> find(String id, String tag) {
    Seen known = seen.get(id);
    return known != null && known.tag.equals(tag) ? Optional.of(known.lease) : find(id);
  }

  /** Every lease that can be read; one request, and one more for each that changed. */
  List<LeaseObject> all() {
    List<LeaseObject> all = new ArrayList<>();
    Set<String> passedOver = new HashSet<>(seen.keySet());
    for (Map.Entry<String, String> lease : tags().entrySet()) {
      passedOver.remove(lease.getKey());
      readable(lease.getKey(), lease.getValue()).ifPresent(all::add);
    }
    // A list may pass over what is replaced while it is made.
    passedOver.forEach(id -> readable(id, "").ifPresent(all::add));
    return all;
  }

  private Optional<LeaseObject> readable(String id, String tag) {
    try {
      return find(id, tag);
    } catch (StoreIncompatibleException e) {
      log.debug("A lease cannot be read.", e);
      return Optional.empty();
    }
  }

  /** The ids of workers that have a lease, with its tag. */
  private Map<String, String> tags() {
    Map<String, String> tags = new LinkedHashMap<>();
    for (ListedObject object : store.listAll(PREFIX)) {
      if (object.key().endsWith(SUFFIX)) {
        tags.put(
            object.key().substring(PREFIX.length(), object.key().length() - SUFFIX.length()),
            object.tag());
      }
    }
    return tags;
  }

  /** Which of these workers have no lease: nobody removes one before its standing has ended. */
  Set<String> gone(Set<String> workers) {
    Set<String> gone = new TreeSet<>(workers);
    if (!gone.isEmpty()) {
      gone.removeAll(tags().keySet());
      gone.removeIf(id -> store.get(key(id)).isPresent());
    }
    return gone;
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
    Map<String, String> listed = tags();
    listed.forEach(
        (id, tag) -> {
          missing.remove(id);
          if (isDead(id, tag, overdue)) {
            dead.add(id);
          }
        });
    synchronized (observations) {
      observations.keySet().retainAll(listed.keySet());
    }
    seen.keySet().removeIf(id -> !listed.containsKey(id) && !known.contains(id));
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

  /**
   * Whether it has been unchanged for a whole lease, or is fenced: that is final at first sight.
   */
  private boolean isSilent(String id, String tag) {
    long now = environment.nanoTime().getAsLong();
    Observation before;
    synchronized (observations) {
      before = observations.get(id);
    }
    if (before == null || !before.tag.equals(tag)) {
      Optional<LeaseObject> lease = find(id, tag);
      boolean fenced = lease.filter(LeaseObject::fenced).isPresent();
      synchronized (observations) {
        if (fenced) {
          observations.remove(id);
        } else {
          lease.ifPresent(found -> observations.put(id, new Observation(tag, now, found.lease())));
        }
      }
      return fenced;
    }
    return now - before.since >= before.lease.toNanos();
  }

  /**
   * How long until the first of the leases that were seen in the latest look has been unchanged for
   * its whole length, if it stays so. Until then no look can find anything.
   */
  Optional<Duration> firstEnd() {
    long now = environment.nanoTime().getAsLong();
    synchronized (observations) {
      return observations.values().stream()
          .map(seen -> seen.lease.minusNanos(now - seen.since))
          .min(Comparator.naturalOrder());
    }
  }

  /** Fences a worker if its object is still as it was observed; whether it is fenced now. */
  private boolean fence(String id, Set<String> overdue) {
    Optional<StoredObject> object = store.get(key(id));
    if (object.isEmpty()) {
      return false;
    }
    LeaseObject lease = LeaseObject.read(store.nameOf(key(id)), object.get());
    if (lease.fenced()) {
      return true;
    }
    if (!overdue.contains(id) && !isSilent(id, object.get().tag())) {
      return false;
    }
    try {
      return store.putIfMatch(key(id), lease.fence().body(environment.nonce()), object.get().tag())
          instanceof Stored;
    } catch (UnknownOutcomeException e) {
      // By us or by another observer: fenced is fenced. Else the worker lives until the next look.
      return find(id).map(LeaseObject::fenced).orElse(false);
    }
  }
}
