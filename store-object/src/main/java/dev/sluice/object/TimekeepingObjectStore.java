package dev.sluice.object;

import dev.sluice.object.PutResult.Stored;
import java.util.Collection;
import java.util.Optional;

/** Tells a {@link StoreClock} what time the store's answers say. */
final class TimekeepingObjectStore implements ObjectStore {
  private final ObjectStore store;
  private final StoreClock clock;

  TimekeepingObjectStore(ObjectStore store, StoreClock clock) {
    this.store = store;
    this.clock = clock;
  }

  @Override
  public String nameOf(String key) {
    return store.nameOf(key);
  }

  @Override
  public boolean isPaidFor() {
    return store.isPaidFor();
  }

  @Override
  public Optional<StoredObject> get(String key) {
    long sent = clock.ticks();
    Optional<StoredObject> object = store.get(key);
    object.ifPresent(found -> clock.heard(found.readAt(), sent));
    return object;
  }

  @Override
  public PutResult putIfAbsent(String key, ObjectBody body) {
    long sent = clock.ticks();
    return heard(store.putIfAbsent(key, body), sent);
  }

  @Override
  public PutResult putIfMatch(String key, ObjectBody body, String tag) {
    long sent = clock.ticks();
    return heard(store.putIfMatch(key, body, tag), sent);
  }

  private PutResult heard(PutResult result, long sent) {
    if (result instanceof Stored stored) {
      clock.heard(stored.at(), sent);
    }
    return result;
  }

  @Override
  public ObjectPage list(String prefix, String after, int limit) {
    return store.list(prefix, after, limit);
  }

  @Override
  public void delete(String key) {
    store.delete(key);
  }

  @Override
  public void deleteAll(Collection<String> keys) {
    store.deleteAll(keys);
  }

  @Override
  public void close() {
    store.close();
  }

  @Override
  public String toString() {
    return store.toString();
  }
}
