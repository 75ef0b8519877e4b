package dev.sluice.object;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.sluice.StoreIncompatibleException;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;

/**
 * Finds out, once for each place where objects are kept, whether its promises are real.
 *
 * <p>Servers that speak S3 differ in what they do with a condition: some ignore it, some check it
 * and then write without looking again. On such a server every limit would be broken sooner or
 * later, so it is refused at the start, with a message that says what it did. The examination
 * ({@link StoreExamination}) works on keys of its own and removes them. That a store passed, and in
 * which dialect, is remembered at {@value #KEY} beside the data; so the next start costs one read.
 * {@code sluice doctor} examines it again; to have that done at the next start, delete that object.
 */
final class StoreProbe {
  static final String KEY = "probe.json";

  /** Raised when the examination asks more than it did, so that stores are examined again. */
  static final int VERSION = 2;

  private static final ObjectMapper JSON = JsonMapper.builder().build();

  /**
   * A way to speak to the store.
   *
   * @param name what is remembered of it
   * @param store speaks it
   * @param objection what speaks against the store, given the key of an object in it
   */
  record Dialect(String name, ObjectStore store, Function<String, Optional<String>> objection) {

    /** The only way there is. */
    static Dialect only(ObjectStore store) {
      return new Dialect("plain", store, key -> Optional.empty());
    }
  }

  /**
   * What is remembered.
   *
   * @param version of the probe that was passed
   * @param dialect the name of the way to speak to the store
   * @param token makes this write known from others
   */
  record Passed(int version, String dialect, String token) {}

  private StoreProbe() {}

  /**
   * The one of these that the store understands, from memory if possible.
   *
   * @param dialects ways to speak to one store, the usual one first
   * @throws StoreIncompatibleException if it does not keep every promise
   */
  static ObjectStore choose(List<Dialect> dialects) {
    ObjectStore any = dialects.get(0).store();
    Optional<StoredObject> memory = any.get(KEY);
    if (memory.isPresent()) {
      Passed passed = read(any, memory.get());
      Optional<Dialect> known =
          dialects.stream()
              .filter(dialect -> passed.version == VERSION)
              .filter(dialect -> dialect.name.equals(passed.dialect))
              .findFirst();
      if (known.isPresent()) {
        return known.get().store();
      }
    }
    Dialect fit = examine(dialects);
    remember(fit, memory);
    return fit.store();
  }

  private static Dialect examine(List<Dialect> dialects) {
    StoreExamination.Verdict verdict = StoreExamination.of(dialects);
    if (verdict.result().fault().isPresent()) {
      throw new StoreIncompatibleException(
          "%s cannot be used: %s. Limits would not hold on it, so nothing was stored."
              .formatted(dialects.get(0).store(), verdict.result().fault().get()));
    }
    return verdict.dialect();
  }

  /** If somebody else is faster, it is the same that they write. */
  private static void remember(Dialect fit, Optional<StoredObject> before) {
    ObjectBody body = write(new Passed(VERSION, fit.name, UUID.randomUUID().toString()));
    if (before.isPresent()) {
      fit.store.putIfMatch(KEY, body, before.get().tag());
    } else {
      fit.store.putIfAbsent(KEY, body);
    }
  }

  private static ObjectBody write(Passed passed) {
    try {
      return ObjectBody.withToken(JSON.writeValueAsBytes(passed), passed.token);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("A record of three fields cannot be written as JSON", e);
    }
  }

  private static Passed read(ObjectStore store, StoredObject object) {
    try {
      return JSON.readValue(object.body(), Passed.class);
    } catch (IOException e) {
      throw new StoreIncompatibleException(
          "The object '%s' in %s is not what Sluice writes there. Is the place used by something else? Name another prefix, or delete the object."
              .formatted(KEY, store),
          e);
    }
  }
}
