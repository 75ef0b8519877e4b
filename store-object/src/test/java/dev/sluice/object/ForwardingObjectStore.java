package dev.sluice.object;

import java.util.Collection;
import java.util.Optional;

/** A store that passes everything on, for tests that want one thing otherwise. */
class ForwardingObjectStore implements ObjectStore {
  private final ObjectStore store;

  ForwardingObjectStore(ObjectStore store) {
    this.store = store;
  }

  @Override
  public Optional<StoredObject> get(String key) {
    return store.get(key);
  }

  @Override
  public PutResult putIfAbsent(String key, ObjectBody body) {
    return store.putIfAbsent(key, body);
  }

  @Override
  public PutResult putIfMatch(String key, ObjectBody body, String tag) {
    return store.putIfMatch(key, body, tag);
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
