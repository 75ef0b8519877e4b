package dev.sluice.object;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.sluice.LimitLevel;
import dev.sluice.SluiceException;
import dev.sluice.object.PutResult.Stored;
import dev.sluice.object.state.Documents;
import dev.sluice.object.state.JobListing;
import dev.sluice.object.state.LimitRule;
import dev.sluice.object.state.Micros;
import dev.sluice.object.state.SegmentSource;
import dev.sluice.object.state.ShardDraft;
import dev.sluice.object.state.ShardState;
import dev.sluice.object.state.SlotHolder;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Shows who holds which slot, and every limit on record, as objects of their own for people and
 * other programs: {@code concurrency/{group}/slots/{n}} and {@code concurrency/{group}/limit.json}.
 *
 * <p>The control object decides; what is here follows it by a moment and decides nothing. Each
 * process shows what its own commits changed. An object carries the version of the commit that it
 * shows and is replaced by compare-and-set, so an old state never covers a newer one. A slot that
 * is given back is shown as free; it is not deleted, because a late put could bring it back.
 *
 * <p>A slot is shown once it has been held for {@link #LAG}. One that comes and goes faster, as
 * those of a hundred thousand keys with a short job each, is never shown and costs no request. What
 * cannot be written is left for the next change.
 */
final class SlotBoard {
  private static final Logger log = LoggerFactory.getLogger(SlotBoard.class);
  private static final Duration LAG = Duration.ofMillis(250);

  /** With each renewal no more than so many objects are brought up to date. */
  private static final int REFRESHED_AT_ONCE = 20;

  private static final int MOST_REMEMBERED = 10_000;

  private final ObjectStore store;
  private final StoreEnvironment environment;
  private final SegmentSource segments;
  private final Function<String, Optional<Instant>> leaseEnd;
  private final Map<String, Shown> shown =
      new LinkedHashMap<>(64, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Shown> eldest) {
          return size() > MOST_REMEMBERED;
        }
      };
  private final Set<Place> changed = new LinkedHashSet<>();
  private final Set<Place> shownByOthers = new LinkedHashSet<>();
  private ShardState latest = ShardState.EMPTY;
  private boolean scheduled;
  private boolean closed;

  /** A slot, or the limit of a group (slot -1). */
  private record Place(String group, int slot) {
    static Place limitOf(String group) {
      return new Place(group, -1);
    }

    String key() {
      return slot < 0 ? GroupKeys.limit(group) : GroupKeys.slot(group, slot);
    }
  }

  /** A state, and the jobs in it that are not shown in a slot yet. */
  private record View(ShardState state, ShardDraft draft, Map<String, List<UUID>> jobs) {
    long version() {
      return state.edition().version();
    }
  }

  /** What this process last wrote under a key. */
  private record Shown(String tag, boolean free) {}

  /**
   * A board.
   *
   * @param leaseEnd when the lease of a worker of this process ends
   */
  SlotBoard(
      ObjectStore store,
      StoreEnvironment environment,
      SegmentSource segments,
      Function<String, Optional<Instant>> leaseEnd) {
    this.store = store;
    this.environment = environment;
    this.segments = segments;
    this.leaseEnd = leaseEnd;
  }

  /** Takes note of a commit. */
  synchronized void afterCommit(ShardState before, ShardState after) {
    latest = after;
    Set<String> groups = new LinkedHashSet<>(before.limits().slots().keySet());
    groups.addAll(after.limits().slots().keySet());
    SortedMap<Integer, SlotHolder> none = new TreeMap<>();
    for (String group : groups) {
      SortedMap<Integer, SlotHolder> old = before.limits().slots().getOrDefault(group, none);
      SortedMap<Integer, SlotHolder> now = after.limits().slots().getOrDefault(group, none);
      if (old != now) {
        old.forEach(
            (slot, holder) -> {
              noteIf(!holder.equals(now.get(slot)), group, slot);
              if (!now.containsKey(slot) && leaseEnd.apply(holder.worker()).isEmpty()) {
                // Its worker is dead, or was another's: its process may have shown it.
                shownByOthers.add(new Place(group, slot));
              }
            });
        now.forEach((slot, holder) -> noteIf(!old.containsKey(slot), group, slot));
      }
    }
    if (before.limits().rulesVersion() != after.limits().rulesVersion()) {
      Set<String> rules = new LinkedHashSet<>(before.limits().rules().keySet());
      rules.addAll(after.limits().rules().keySet());
      rules.removeIf(
          r ->
              before
                  .limits()
                  .rules()
                  .getOrDefault(r, LimitRule.NONE)
                  .equals(after.limits().rules().getOrDefault(r, LimitRule.NONE)));
      rules.forEach(rule -> changed.add(Place.limitOf(rule)));
    }
    schedule();
  }

  private void noteIf(boolean differs, String group, int slot) {
    if (differs) {
      changed.add(new Place(group, slot));
    }
  }

  /** The worker's lease was renewed: some of its slots are shown with their new end. */
  synchronized void renewed(String worker) {
    int refreshed = 0;
    for (var group : latest.limits().slots().entrySet()) {
      for (var slot : group.getValue().entrySet()) {
        if (slot.getValue().isOf(worker) && refreshed < REFRESHED_AT_ONCE) {
          changed.add(new Place(group.getKey(), slot.getKey()));
          refreshed++;
        }
      }
    }
    schedule();
  }

  private void schedule() {
    if (!changed.isEmpty() && !scheduled && !closed) {
      scheduled = true;
      environment.chores().execute(this::work);
    }
  }

  private void work() {
    try {
      environment.pause().forNanos(LAG.toNanos());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    show();
  }

  private void show() {
    Map<Place, Optional<SlotHolder>> wanted = new LinkedHashMap<>();
    Set<Place> others;
    ShardState state;
    synchronized (this) {
      others = Set.copyOf(shownByOthers);
      shownByOthers.clear();
      scheduled = false;
      state = latest;
      for (Place place : changed) {
        wanted.put(place, Optional.ofNullable(holder(state, place)));
      }
      changed.clear();
    }
    View view =
        new View(
            state,
            new ShardDraft(state, segments, state.edition().time(), state.edition().time()),
            new HashMap<>());
    try {
      wanted.forEach(
          (place, holder) -> show(view, place, holder.orElse(null), others.contains(place)));
    } catch (SluiceException | SegmentCache.SegmentGoneException e) {
      log.debug("Slots could not be shown; the next change shows them.", e);
    }
  }

  private static SlotHolder holder(ShardState state, Place place) {
    SortedMap<Integer, SlotHolder> held = state.limits().slots().get(place.group);
    return held == null ? null : held.get(place.slot);
  }

  private void show(View view, Place place, SlotHolder holder, boolean shownByAnother) {
    Shown before;
    synchronized (this) {
      before = shown.get(place.key());
    }
    boolean free = place.slot >= 0 && holder == null;
    boolean untold =
        before == null ? !(shownByAnother && store.get(place.key()).isPresent()) : before.free;
    if (free && untold) {
      // Nobody was told that it was held.
      return;
    }
    String nonce = environment.nonce();
    byte[] bytes =
        Documents.write(
            json -> {
              json.writeStringField("group", place.group);
              json.writeNumberField("version", view.version());
              json.writeStringField("nonce", nonce);
              if (place.slot < 0) {
                writeRule(json, view.state.limits().rules().get(place.group));
              } else if (holder == null) {
                json.writeStringField("state", "free");
              } else {
                writeHolder(json, view, place, holder);
              }
            });
    put(place.key(), before, ObjectBody.withToken(bytes, nonce), view.version(), free);
  }

  private void put(String key, Shown before, ObjectBody body, long version, boolean free) {
    Optional<String> tag = Optional.ofNullable(before).map(Shown::tag);
    PutResult result =
        tag.isPresent() ? store.putIfMatch(key, body, tag.get()) : store.putIfAbsent(key, body);
    if (!(result instanceof Stored)) {
      Optional<StoredObject> there = store.get(key);
      boolean newer =
          there
              .map(o -> Documents.read(key, o.body(), json -> json.path("version").asLong()))
              .map(other -> other > version)
              .orElse(true);
      if (newer) {
        return;
      }
      result = store.putIfMatch(key, body, there.get().tag());
    }
    if (result instanceof Stored stored) {
      synchronized (this) {
        shown.put(key, new Shown(stored.tag(), free));
      }
    }
  }

  private void writeHolder(JsonGenerator json, View view, Place place, SlotHolder holder)
      throws IOException {
    json.writeStringField("state", "held");
    if (holder.permit() != null) {
      json.writeStringField("task_id", holder.permit().holder());
      json.writeStringField("worker_id", holder.worker());
      json.writeStringField("expires_at", Micros.toInstant(holder.permit().expiresAt()).toString());
    } else {
      List<UUID> running =
          view.jobs.computeIfAbsent(
              place.group + " " + holder.worker(),
              any ->
                  new ArrayList<>(JobListing.runningIn(view.draft, place.group, holder.worker())));
      if (!running.isEmpty()) {
        json.writeStringField("task_id", running.remove(0).toString());
      }
      json.writeStringField("worker_id", holder.worker());
      Optional<Instant> end = leaseEnd.apply(holder.worker());
      if (end.isPresent()) {
        json.writeStringField("expires_at", end.get().toString());
      }
    }
    json.writeNumberField("token", holder.token());
    json.writeStringField("acquired_at", Micros.toInstant(holder.acquiredAt()).toString());
  }

  private static void writeRule(JsonGenerator json, LimitRule rule) throws IOException {
    LimitRule given = rule == null ? LimitRule.NONE : rule;
    for (LimitLevel level : LimitLevel.values()) {
      if (given.at(level) != null) {
        json.writeNumberField(level.toString(), given.at(level));
      }
    }
  }

  /** Shows at once what is left to be shown. */
  void close() {
    synchronized (this) {
      closed = true;
    }
    show();
  }
}
