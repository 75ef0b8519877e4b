package dev.sluice.object;

import dev.sluice.SluiceException;
import dev.sluice.object.PutResult.Stored;
import dev.sluice.object.state.LimitRule;
import dev.sluice.object.state.ShardState;
import dev.sluice.object.state.SlotHolder;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Shows which job and which worker hold which slot, and every limit on record, as objects of their
 * own for people and other programs: {@code concurrency/{group}/slots/{n}} and {@code
 * concurrency/{group}/limit.json}.
 *
 * <p>The control object decides; what is here follows it and decides nothing. Each process shows
 * what its own commits changed. An object carries the version of the commit that it shows and is
 * replaced by compare-and-set, so an old state never covers a newer one.
 *
 * <p><b>When.</b> A slot is shown, and the job in it named, once that has been so for {@link #LAG}.
 * What comes and goes faster costs no request: the slots of a hundred thousand keys with a short
 * job each, or a chain of short jobs in one slot, which is shown as its worker's. A name that is no
 * longer true is gone after twice that, plus the time of the requests.
 *
 * <p><b>Leases.</b> The end of a worker's lease is written again with each renewal. Where requests
 * cost money, that is so for {@link #DATED_WHERE_PAID} slots of a worker; the others refer to the
 * lease object instead, so no object ever names a moment that has passed under a living worker.
 *
 * <p><b>A free slot has no object.</b> Deletes have no condition, so a delete could hit the object
 * of the slot's next holder. It does not, because the control object is read immediately before it:
 * a slot that is taken after that read is not shown before {@link #LAG} has passed. If a delete
 * takes longer than that all the same, the next renewal of the holder's lease finds its object
 * missing and writes it again. And what a dead process or a late put leaves behind is found by the
 * {@linkplain SlotObjects#sweep sweep} that goes with every audit.
 */
final class SlotBoard {
  private static final Logger log = LoggerFactory.getLogger(SlotBoard.class);
  static final Duration LAG = Duration.ofMillis(250);

  /** How often a former holder looks whether the next one has replaced what it has shown. */
  static final int MOST_LOOKS = 3;

  /** Of so many slots of a worker the end of the lease is shown, where requests cost money. */
  static final int DATED_WHERE_PAID = 100;

  /** How many threads write at a time, and how many objects each takes on. */
  private static final int WRITERS = 4;

  private static final int BATCH = 16;

  private final ObjectStore store;
  private final StoreEnvironment environment;
  private final Committer committer;
  private final Function<String, Optional<Instant>> leaseEnd;

  private final Map<Place, Shown> shown = new HashMap<>();
  private final Map<Place, Long> taken = new HashMap<>();
  private final Map<String, Set<Place>> dated = new HashMap<>();
  private final Map<Place, Change> changes = new LinkedHashMap<>();
  private final Set<Place> writing = new HashSet<>();
  private int writers;
  private boolean closed;

  /** A slot, or the limit of a group (slot -1). */
  private record Place(String group, int slot) {
    static Place limitOf(String group) {
      return new Place(group, -1);
    }

    boolean isLimit() {
      return slot < 0;
    }

    String key() {
      return isLimit() ? GroupKeys.limit(group) : GroupKeys.slot(group, slot);
    }

    SlotHolder holder(ShardState state) {
      SortedMap<Integer, SlotHolder> held = state.limits().slots().get(group);
      return held == null ? null : held.get(slot);
    }
  }

  /** What this process last saw under a key. */
  private record Shown(String tag, Map<String, Object> content) {}

  /**
   * A place that may not be shown as it is.
   *
   * @param first since when, by the monotonic clock
   * @param last when it changed for the last time
   * @param elsewhere whether another process may have shown it
   * @param looks how often it was found held by another process and not shown by that
   */
  private record Change(long first, long last, boolean elsewhere, int looks) {
    boolean isSettled(long now) {
      return now - last >= LAG.toNanos();
    }

    long dueIn(long now) {
      return Math.min(last + LAG.toNanos() - now, first + 2 * LAG.toNanos() - now);
    }
  }

  /**
   * A board.
   *
   * @param leaseEnd when the lease of a worker of this process ends
   */
  SlotBoard(
      ObjectStore store,
      StoreEnvironment environment,
      Committer committer,
      Function<String, Optional<Instant>> leaseEnd) {
    this.store = store;
    this.environment = environment;
    this.committer = committer;
    this.leaseEnd = leaseEnd;
  }

  private long now() {
    return environment.nanoTime().getAsLong();
  }

  /** Takes note of a commit. */
  synchronized void afterCommit(ShardState before, ShardState after) {
    Set<String> groups = new LinkedHashSet<>(before.limits().slots().keySet());
    groups.addAll(after.limits().slots().keySet());
    SortedMap<Integer, SlotHolder> none = new TreeMap<>();
    for (String group : groups) {
      SortedMap<Integer, SlotHolder> old = before.limits().slots().getOrDefault(group, none);
      SortedMap<Integer, SlotHolder> now = after.limits().slots().getOrDefault(group, none);
      if (old != now) {
        old.forEach((slot, holder) -> note(new Place(group, slot), holder, now.get(slot)));
        now.forEach(
            (slot, holder) -> {
              if (!old.containsKey(slot)) {
                note(new Place(group, slot), null, holder);
              }
            });
      }
    }
    if (before.limits().rulesVersion() != after.limits().rulesVersion()) {
      Set<String> rules = new LinkedHashSet<>(before.limits().rules().keySet());
      rules.addAll(after.limits().rules().keySet());
      rules.removeIf(name -> rule(before, name).equals(rule(after, name)));
      rules.forEach(name -> note(Place.limitOf(name), false));
    }
    work();
  }

  private static LimitRule rule(ShardState state, String name) {
    return state.limits().rules().getOrDefault(name, LimitRule.NONE);
  }

  private void note(Place place, SlotHolder before, SlotHolder after) {
    if (before != null && before.equals(after)) {
      return;
    }
    boolean same = before != null && after != null && before.token() == after.token();
    Long known = taken.get(place);
    boolean elsewhere = before != null && (known == null || known != before.token());
    if (after == null) {
      taken.remove(place);
    } else if (!same) {
      taken.put(place, after.token());
    }
    note(place, elsewhere && !same);
  }

  private void note(Place place, boolean elsewhere) {
    note(place, elsewhere, 0);
  }

  private void note(Place place, boolean elsewhere, int looks) {
    long now = now();
    changes.merge(
        place,
        new Change(now, now, elsewhere, looks),
        (old, change) -> new Change(old.first, now, old.elsewhere || elsewhere, 0));
  }

  /** The worker's lease was renewed: its slots are shown with their new end. */
  synchronized void renewed(String worker) {
    ShardState state = committer.latest().state();
    long settled = now() - LAG.toNanos();
    state
        .limits()
        .slots()
        .forEach(
            (group, held) ->
                held.forEach(
                    (slot, holder) -> {
                      Place place = new Place(group, slot);
                      if (holder.isOf(worker) && mayDate(place, worker)) {
                        changes.putIfAbsent(place, new Change(settled, settled, false, 0));
                      }
                    }));
    work();
  }

  private boolean mayDate(Place place, String worker) {
    Set<Place> already = dated.getOrDefault(worker, Set.of());
    return !store.isPaidFor() || already.contains(place) || already.size() < DATED_WHERE_PAID;
  }

  /** Has the next change shown when it is time, if nobody is about to. */
  private void work() {
    if (!changes.isEmpty() && writers == 0 && !closed) {
      addWriter();
    }
  }

  private void addWriter() {
    writers++;
    environment.chores().execute(this::write);
  }

  private void write() {
    long wait;
    synchronized (this) {
      long now = now();
      wait = changes.values().stream().mapToLong(change -> change.dueIn(now)).min().orElse(0);
    }
    try {
      if (wait > 0) {
        environment.pause().forNanos(Math.min(wait, LAG.toNanos()));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    Map<Place, Change> batch = takeDue();
    show(batch);
    synchronized (this) {
      writing.removeAll(batch.keySet());
      writers--;
      work();
    }
  }

  private synchronized Map<Place, Change> takeDue() {
    long now = now();
    Map<Place, Change> due = new LinkedHashMap<>();
    boolean more = false;
    for (Map.Entry<Place, Change> entry : changes.entrySet()) {
      if (entry.getValue().dueIn(now) <= 0 && !writing.contains(entry.getKey())) {
        more = due.size() == BATCH;
        if (more) {
          break;
        }
        due.put(entry.getKey(), entry.getValue());
      }
    }
    changes.keySet().removeAll(due.keySet());
    writing.addAll(due.keySet());
    if (more && writers < WRITERS && !closed) {
      addWriter();
    }
    return due;
  }

  private void show(Map<Place, Change> batch) {
    Map<Place, Change> left = new LinkedHashMap<>(batch);
    try {
      if (batch.isEmpty()) {
        return;
      }
      if (areShown(batch)) {
        nameLater(batch);
        return;
      }
      ShardState state = committer.read();
      delete(state, batch, left);
      for (Map.Entry<Place, Change> entry : batch.entrySet()) {
        if (left.containsKey(entry.getKey())) {
          show(state, entry.getKey(), entry.getValue());
          left.remove(entry.getKey());
        }
      }
    } catch (SluiceException e) {
      log.debug("Slots could not be shown; they are tried again.", e);
      synchronized (this) {
        left.forEach((place, change) -> note(place, change.elsewhere));
      }
    }
  }

  /** Whether there is nothing to write, by what is known here. */
  private synchronized boolean areShown(Map<Place, Change> batch) {
    ShardState state = committer.latest().state();
    boolean all = true;
    for (Map.Entry<Place, Change> entry : batch.entrySet()) {
      Place place = entry.getKey();
      Change change = entry.getValue();
      SlotHolder holder = place.holder(state);
      Shown last = shown.get(place);
      all &=
          !place.isLimit()
              && (holder == null
                  ? last == null && !change.elsewhere
                  : last != null && last.content.equals(held(state, place, change)));
    }
    return all;
  }

  /** Deletes the objects of slots that are free. */
  private void delete(ShardState state, Map<Place, Change> batch, Map<Place, Change> left) {
    List<String> keys = new ArrayList<>();
    synchronized (this) {
      batch.forEach(
          (place, change) -> {
            if (!place.isLimit() && place.holder(state) == null) {
              if (shown.containsKey(place) || change.elsewhere) {
                keys.add(place.key());
              } else {
                left.remove(place);
              }
              dated.values().forEach(places -> places.remove(place));
            }
          });
      dated.values().removeIf(Set::isEmpty);
    }
    if (!keys.isEmpty()) {
      store.deleteAll(keys);
      synchronized (this) {
        left.keySet().removeIf(place -> keys.contains(place.key()) && forget(place));
      }
    }
  }

  private boolean forget(Place place) {
    shown.remove(place);
    return true;
  }

  private void show(ShardState state, Place place, Change change) {
    Map<String, Object> content;
    Shown last;
    synchronized (this) {
      last = shown.get(place);
      if (place.isLimit()) {
        content = SlotObjects.limits(rule(state, place.group));
      } else if (isOurs(place, place.holder(state))) {
        content = held(state, place, change);
        nameLater(place, place.holder(state), change);
        keepDate(place, place.holder(state).worker(), content);
      } else {
        content = null;
      }
    }
    if (content == null) {
      leaveToOthers(place, last, change.looks + 1);
    } else if (last == null || !last.content.equals(content)) {
      put(place, last, content, state.edition().version());
    }
  }

  private boolean isOurs(Place place, SlotHolder holder) {
    Long token = taken.get(place);
    return (token != null && token == holder.token())
        || (holder.permit() == null && leaseEnd.apply(holder.worker()).isPresent());
  }

  /** What the object of a held slot has to say now. */
  private Map<String, Object> held(ShardState state, Place place, Change change) {
    SlotHolder holder = place.holder(state);
    Optional<Instant> end =
        mayDate(place, holder.worker()) ? leaseEnd.apply(holder.worker()) : Optional.empty();
    return SlotObjects.held(state, holder, change.isSettled(now()), end);
  }

  /** A job that has not run for long enough is named when it has. */
  private void nameLater(Place place, SlotHolder holder, Change change) {
    if (holder.job() != null && !change.isSettled(now())) {
      changes.putIfAbsent(place, new Change(now(), change.last, false, 0));
    }
  }

  private synchronized void nameLater(Map<Place, Change> batch) {
    ShardState state = committer.latest().state();
    batch.forEach(
        (place, change) -> {
          if (place.holder(state) != null) {
            nameLater(place, place.holder(state), change);
          }
        });
  }

  private void keepDate(Place place, String worker, Map<String, Object> content) {
    if (content.containsKey(SlotObjects.EXPIRES_AT)) {
      dated.computeIfAbsent(worker, any -> new HashSet<>()).add(place);
    }
  }

  /**
   * Another process holds the slot now, and replaces what this one has shown. Should it free the
   * slot before, this one finds that with its next look and deletes it. A holder that has not shown
   * it after {@link #MOST_LOOKS} is dead or cannot write: then recovery or a sweep deletes it.
   */
  private void leaveToOthers(Place place, Shown last, int looks) {
    boolean ours =
        last != null
            && store.get(place.key()).map(object -> object.tag().equals(last.tag)).orElse(false);
    synchronized (this) {
      if (ours && looks < MOST_LOOKS) {
        note(place, false, looks);
      } else {
        shown.remove(place);
      }
    }
  }

  private void put(Place place, Shown last, Map<String, Object> content, long version) {
    String key = place.key();
    ObjectBody body = SlotObjects.body(place.group, version, environment.nonce(), content);
    PutResult result =
        last == null ? store.putIfAbsent(key, body) : store.putIfMatch(key, body, last.tag);
    Shown now = new Shown(null, content);
    if (!(result instanceof Stored)) {
      Optional<StoredObject> there = store.get(key);
      if (there.isEmpty()) {
        result = store.putIfAbsent(key, body);
      } else if (isOlder(key, there.get(), version)) {
        result = store.putIfMatch(key, body, there.get().tag());
      } else {
        // Shown by a later commit already; to be deleted all the same when the slot is free.
        now = new Shown(there.get().tag(), Map.of());
      }
    }
    synchronized (this) {
      if (result instanceof Stored stored) {
        shown.put(place, new Shown(stored.tag(), content));
      } else if (now.tag != null) {
        shown.put(place, now);
      } else {
        note(place, false);
      }
    }
  }

  /** Whether it shows an older commit than this, or one that never was. */
  private boolean isOlder(String key, StoredObject object, long version) {
    long other = SlotObjects.versionOf(key, object);
    return other <= version || other > committer.read().edition().version();
  }

  /**
   * Deletes the objects of free slots.
   *
   * @param held reads which slots are held, by key, in all shards
   */
  void sweep(Supplier<Set<String>> held) {
    try {
      SlotObjects.sweep(store, held);
    } catch (SluiceException e) {
      log.debug("The objects of free slots are left for the next audit.", e);
    }
  }

  /** Shows at once what is left to be shown. */
  void close() {
    Map<Place, Change> left;
    synchronized (this) {
      closed = true;
      left = new LinkedHashMap<>(changes);
      changes.clear();
    }
    show(left);
  }
}
