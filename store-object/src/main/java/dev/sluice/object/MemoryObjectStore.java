package dev.sluice.object;

import dev.sluice.object.PutResult.Lost;
import dev.sluice.object.PutResult.Reason;
import dev.sluice.object.PutResult.Stored;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Objects in the memory of this JVM. Stores opened under one name share their objects, which are
 * gone when the last of them is closed.
 *
 * <p>It is the other stores without their troubles: every call is one step of a concurrent map, so
 * each object is a register by construction.
 */
final class MemoryObjectStore implements ObjectStore {
  private static final SharedByName<String, Objects> SHARED = new SharedByName<>();

  private final String name;
  private final Objects objects;
  private final InstantSource clock;
  private final AtomicBoolean closed = new AtomicBoolean();

  private MemoryObjectStore(String name, Objects objects, InstantSource clock) {
    this.name = name;
    this.objects = objects;
    this.clock = clock;
  }

  /** The store of this name. */
  static MemoryObjectStore open(String name) {
    return open(name, InstantSource.system());
  }

  /** The store of this name, telling the time by this clock. */
  static MemoryObjectStore open(String name, InstantSource clock) {
    return new MemoryObjectStore(name, SHARED.join(name, Objects::new), clock);
  }

  @Override
  public Optional<StoredObject> get(String key) {
    StoredObject found = objects.byKey.get(ObjectKeys.requireValid(key));
    return Optional.ofNullable(found)
        .map(o -> new StoredObject(o.body(), o.tag(), o.modifiedAt(), clock.instant()));
  }

  @Override
  public PutResult putIfAbsent(String key, ObjectBody body) {
    StoredObject ours = next(body);
    StoredObject before = objects.byKey.putIfAbsent(ObjectKeys.requireValid(key), ours);
    return before == null ? new Stored(ours.tag(), ours.modifiedAt()) : new Lost(Reason.CHANGED);
  }

  @Override
  public PutResult putIfMatch(String key, ObjectBody body, String tag) {
    StoredObject ours = next(body);
    StoredObject now =
        objects.byKey.computeIfPresent(
            ObjectKeys.requireValid(key),
            (k, current) -> current.tag().equals(tag) ? ours : current);
    if (now == ours) {
      return new Stored(ours.tag(), ours.modifiedAt());
    }
    return new Lost(now == null ? Reason.ABSENT : Reason.CHANGED);
  }

  @Override
  public ObjectPage list(String prefix, String after, int limit) {
    boolean fromPrefix = ObjectKeys.ORDER.compare(after, prefix) < 0;
    NavigableMap<String, StoredObject> rest =
        fromPrefix ? objects.byKey.tailMap(prefix, true) : objects.byKey.tailMap(after, false);
    List<ListedObject> page = new ArrayList<>();
    for (var entry : rest.entrySet()) {
      if (!entry.getKey().startsWith(prefix)) {
        break;
      }
      if (page.size() == Math.min(limit, MAX_PAGE)) {
        return new ObjectPage(page, false);
      }
      StoredObject object = entry.getValue();
      page.add(
          new ListedObject(
              entry.getKey(), object.tag(), object.body().length, object.modifiedAt()));
    }
    return new ObjectPage(page, true);
  }

  @Override
  public void delete(String key) {
    objects.byKey.remove(ObjectKeys.requireValid(key));
  }

  @Override
  public void deleteAll(Collection<String> keys) {
    keys.forEach(this::delete);
  }

  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      SHARED.leave(name);
    }
  }

  @Override
  public String toString() {
    return "memory:" + name;
  }

  private StoredObject next(ObjectBody body) {
    var now = clock.instant();
    String tag = Long.toHexString(objects.writes.incrementAndGet());
    return new StoredObject(body.bytes().clone(), tag, now, now);
  }

  private static final class Objects {
    final NavigableMap<String, StoredObject> byKey = new ConcurrentSkipListMap<>(ObjectKeys.ORDER);
    final AtomicLong writes = new AtomicLong();
  }
}
