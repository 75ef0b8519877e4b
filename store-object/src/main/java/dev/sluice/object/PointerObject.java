package dev.sluice.object;

import dev.sluice.Group;
import dev.sluice.StoreUnavailableException;
import dev.sluice.object.PutResult.Stored;
import dev.sluice.object.state.Documents;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * One object with the pointers of all shards: where payloads have the values of dimensions. It is
 * beside the control objects because nothing is decided by it in a commit, and is not there until
 * the first pointer is. Replaced by compare-and-set, so recorders at the same time lose nothing.
 * Thread-safe.
 */
final class PointerObject {
  static final String KEY = "pointers.json";

  private static final int TRIES = 200;
  private static final Duration PAUSE = Duration.ofMillis(20);

  private final ObjectStore store;
  private final StoreEnvironment environment;

  PointerObject(ObjectStore store, StoreEnvironment environment) {
    this.store = store;
    this.environment = environment;
  }

  private record Content(Map<Group, String> pointers, Optional<String> tag) {}

  /** The pointers, by family. */
  Map<Group, String> read() {
    return load().pointers;
  }

  /** Puts pointers in place of those of the same families; whether that changed anything. */
  boolean record(Map<Group, String> pointers) {
    boolean mayHaveWritten = false;
    for (int i = 0; i < TRIES; i++) {
      Content before = load();
      Map<Group, String> after = new TreeMap<>(before.pointers);
      after.putAll(pointers);
      if (after.equals(before.pointers)) {
        return mayHaveWritten;
      }
      try {
        if (put(after, before.tag) instanceof Stored) {
          return true;
        }
      } catch (UnknownOutcomeException e) {
        // What is read next tells, and a put that comes later still loses to the one that follows.
        mayHaveWritten = true;
      }
      pause();
    }
    throw new StoreUnavailableException(
        "The object '%s' was replaced by others each of %d times that it was to be changed. Try again."
            .formatted(store.nameOf(KEY), TRIES));
  }

  private void pause() {
    try {
      environment.pause().forNanos((long) (PAUSE.toNanos() * environment.random().nextDouble()));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StoreUnavailableException("Interrupted while pointers were put on record.", e);
    }
  }

  private PutResult put(Map<Group, String> pointers, Optional<String> tag) {
    String nonce = environment.nonce();
    byte[] bytes =
        Documents.write(
            json -> {
              json.writeStringField("nonce", nonce);
              json.writeObjectFieldStart("pointers");
              for (Map.Entry<Group, String> each : pointers.entrySet()) {
                json.writeStringField(each.getKey().toString(), each.getValue());
              }
              json.writeEndObject();
            });
    ObjectBody body = ObjectBody.withToken(bytes, nonce);
    return tag.isPresent() ? store.putIfMatch(KEY, body, tag.get()) : store.putIfAbsent(KEY, body);
  }

  private Content load() {
    return store
        .get(KEY)
        .map(
            object ->
                new Content(
                    Documents.read(
                        store.nameOf(KEY),
                        object.body(),
                        json -> {
                          Map<Group, String> pointers = new TreeMap<>();
                          json.get("pointers")
                              .properties()
                              .forEach(
                                  each ->
                                      pointers.put(
                                          Group.parse(each.getKey()), each.getValue().textValue()));
                          return pointers;
                        }),
                    Optional.of(object.tag())))
        .orElse(new Content(Map.of(), Optional.empty()));
  }
}
