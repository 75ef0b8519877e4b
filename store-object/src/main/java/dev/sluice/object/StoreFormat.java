package dev.sluice.object;

import dev.sluice.InvalidRequestException;
import dev.sluice.StoreIncompatibleException;
import dev.sluice.object.PutResult.Stored;
import dev.sluice.object.state.Documents;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * What a place was begun with: the version of the layout, and the number of shards. Written once,
 * by whoever opens the place first.
 *
 * @param version the version of the layout
 * @param shards how many shards there are
 */
record StoreFormat(int version, int shards) {
  static final String KEY = "format.json";
  static final int MOST_SHARDS = 64;

  /** What is on record. */
  static StoreFormat read(ObjectStore store) {
    return find(store)
        .orElseThrow(
            () ->
                new StoreIncompatibleException(
                    "The object '%s' in %s comes and goes. Is something else using the place?"
                        .formatted(store.nameOf(KEY), store)));
  }

  /** What is on record, if anything is. */
  static Optional<StoreFormat> find(ObjectStore store) {
    return store
        .get(KEY)
        .map(
            object ->
                Documents.read(
                    store.nameOf(KEY),
                    object.body(),
                    json ->
                        new StoreFormat(
                            json.get("format").intValue(), json.get("shards").intValue())));
  }

  /**
   * Reads what is on record, or puts it on record.
   *
   * @param wanted how many shards a new place gets, by default one; an old one has to have as many
   */
  static StoreFormat agree(ObjectStore store, StoreEnvironment environment, OptionalInt wanted) {
    StoreFormat known = find(store).orElseGet(() -> begin(store, environment, wanted.orElse(1)));
    if (wanted.isPresent() && wanted.getAsInt() != known.shards) {
      throw new InvalidRequestException(
          "%s has %d %s, and the URL says shards=%d. The number cannot be changed: leave it out of the URL, or begin another namespace."
              .formatted(
                  store, known.shards, known.shards == 1 ? "shard" : "shards", wanted.getAsInt()));
    }
    return known;
  }

  private static StoreFormat begin(ObjectStore store, StoreEnvironment environment, int shards) {
    String token = environment.nonce();
    byte[] body =
        Documents.write(
            json -> {
              json.writeNumberField("shards", shards);
              json.writeStringField("token", token);
            });
    return store.putIfAbsent(KEY, ObjectBody.withToken(body, token)) instanceof Stored
        ? new StoreFormat(Documents.FORMAT, shards)
        : read(store);
  }
}
