package dev.sluice.object;

import dev.sluice.object.PutResult.Lost;
import java.util.Collection;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Counts every request on its way. It belongs inside the one that repeats them, so that repeated
 * requests count too.
 */
final class InstrumentedObjectStore implements ObjectStore {
  private final ObjectStore store;
  private final RequestMeter meter;

  InstrumentedObjectStore(ObjectStore store, RequestMeter meter) {
    this.store = store;
    this.meter = meter;
  }

  @Override
  public boolean isPaidFor() {
    return store.isPaidFor();
  }

  @Override
  public Optional<StoredObject> get(String key) {
    Optional<StoredObject> found = orCountFailure(RequestKind.GET, 0, () -> store.get(key));
    meter.count(RequestKind.GET, 1, 0, found.map(object -> object.body().length).orElse(0));
    return found;
  }

  @Override
  public PutResult putIfAbsent(String key, ObjectBody body) {
    return put(body, () -> store.putIfAbsent(key, body));
  }

  @Override
  public PutResult putIfMatch(String key, ObjectBody body, String tag) {
    return put(body, () -> store.putIfMatch(key, body, tag));
  }

  @Override
  public ObjectPage list(String prefix, String after, int limit) {
    ObjectPage page = orCountFailure(RequestKind.LIST, 0, () -> store.list(prefix, after, limit));
    meter.count(RequestKind.LIST, 1, 0, 0);
    return page;
  }

  @Override
  public void delete(String key) {
    delete(
        1,
        () -> {
          store.delete(key);
          return null;
        });
  }

  @Override
  public void deleteAll(Collection<String> keys) {
    delete(
        keys.size(),
        () -> {
          store.deleteAll(keys);
          return null;
        });
  }

  @Override
  public void close() {
    store.close();
  }

  @Override
  public String toString() {
    return store.toString();
  }

  private PutResult put(ObjectBody body, Supplier<PutResult> request) {
    int bytes = body.bytes().length;
    PutResult result = orCountFailure(RequestKind.PUT, bytes, request);
    meter.count(RequestKind.PUT, 1, bytes, 0);
    if (result instanceof Lost) {
      meter.countLost(RequestKind.PUT);
    }
    return result;
  }

  private void delete(int keys, Supplier<Void> request) {
    orCountFailure(RequestKind.DELETE, 0, request);
    int requests = (keys + S3ObjectStore.MAX_DELETES - 1) / S3ObjectStore.MAX_DELETES;
    meter.count(RequestKind.DELETE, requests, 0, 0);
  }

  private <T> T orCountFailure(RequestKind kind, long sent, Supplier<T> request) {
    try {
      return request.get();
    } catch (RuntimeException e) {
      meter.count(kind, 1, sent, 0);
      meter.countFailed(kind);
      throw e;
    }
  }
}
