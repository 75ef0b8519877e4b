package dev.sluice.object;

import dev.sluice.StoreIncompatibleException;
import dev.sluice.object.PutResult.Stored;
import dev.sluice.object.state.ShardDocuments;
import dev.sluice.object.state.ShardState;
import java.util.Optional;

/** The control object: read whole, written only by compare-and-set. */
final class ControlObject {
  static final String KEY = "control.json";

  private final ObjectStore store;
  private volatile boolean begun;

  ControlObject(ObjectStore store) {
    this.store = store;
  }

  /**
   * A state as it was stored.
   *
   * @param state what the object says
   * @param tag names it for the next compare-and-set; empty before the first commit
   */
  record Version(ShardState state, String tag) {
    boolean isNewerThan(Version other) {
      return other == null || state.edition().version() > other.state.edition().version();
    }
  }

  /**
   * The state as it is now.
   *
   * @throws StoreIncompatibleException if the object is damaged, or is gone where there was one:
   *     beginning anew would run finished jobs again
   */
  Version load() {
    Optional<StoredObject> object = store.get(KEY);
    if (object.isPresent()) {
      begun = true;
      return new Version(
          ShardDocuments.read(store.nameOf(KEY), object.get().body()), object.get().tag());
    }
    if (begun || JobArchive.isBegun(store)) {
      throw new StoreIncompatibleException(
          "The object '%s' is missing, and jobs were kept here before. Restore it from a backup, or name another prefix to begin anew."
              .formatted(store.nameOf(KEY)));
    }
    return new Version(ShardState.EMPTY, "");
  }

  /** Puts a state in place of the one it follows; empty if that is no longer the latest. */
  Optional<Version> replace(Version before, ShardState next) {
    ObjectBody body = ObjectBody.withToken(ShardDocuments.write(next), next.edition().nonce());
    PutResult result =
        before.tag.isEmpty()
            ? store.putIfAbsent(KEY, body)
            : store.putIfMatch(KEY, body, before.tag);
    return result instanceof Stored stored
        ? Optional.of(new Version(next, stored.tag()))
        : Optional.empty();
  }
}
