package dev.sluice.object;

import java.util.Collection;
import java.util.List;
import java.util.Optional;

/** The objects of a store below a prefix, as a store of their own. */
final class PrefixedObjectStore implements ObjectStore {
  private final ObjectStore store;
  private final String prefix;
  private final boolean owned;

  /** What lies below {@code folder/} of a store that is closed with it. */
  PrefixedObjectStore(ObjectStore store, String folder) {
    this(store, ObjectKeys.requireValid(folder) + "/", true);
  }

  private PrefixedObjectStore(ObjectStore store, String prefix, boolean owned) {
    this.store = store;
    this.prefix = prefix;
    this.owned = owned;
  }

  /** What lies below {@code folder/} of a store that stays open. */
  static PrefixedObjectStore borrowing(ObjectStore store, String folder) {
    return new PrefixedObjectStore(store, ObjectKeys.requireValid(folder) + "/", false);
  }

  /** The same objects, which stay open when these are closed. */
  PrefixedObjectStore borrowed() {
    return new PrefixedObjectStore(store, prefix, false);
  }

  @Override
  public String nameOf(String key) {
    return store.nameOf(prefix + key);
  }

  @Override
  public boolean isPaidFor() {
    return store.isPaidFor();
  }

  @Override
  public Optional<StoredObject> get(String key) {
    return store.get(prefix + key);
  }

  @Override
  public PutResult putIfAbsent(String key, ObjectBody body) {
    return store.putIfAbsent(prefix + key, body);
  }

  @Override
  public PutResult putIfMatch(String key, ObjectBody body, String tag) {
    return store.putIfMatch(prefix + key, body, tag);
  }

  @Override
  public ObjectPage list(String start, String after, int limit) {
    ObjectPage page = store.list(prefix + start, after.isEmpty() ? "" : prefix + after, limit);
    List<ListedObject> objects =
        page.objects().stream()
            .map(
                o ->
                    new ListedObject(
                        o.key().substring(prefix.length()), o.tag(), o.size(), o.modifiedAt()))
            .toList();
    return new ObjectPage(objects, page.isLast());
  }

  @Override
  public void delete(String key) {
    store.delete(prefix + key);
  }

  @Override
  public void deleteAll(Collection<String> keys) {
    store.deleteAll(keys.stream().map(key -> prefix + key).toList());
  }

  @Override
  public void close() {
    if (owned) {
      store.close();
    }
  }

  @Override
  public String toString() {
    return store + " below " + prefix;
  }
}
