package dev.sluice.object;

import dev.sluice.object.PutResult.Stored;
import dev.sluice.object.state.Documents;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One small object that whoever begins an audit for all replaces: how old it is says how long ago
 * that was. Both times are the store's, so no clocks are compared. Thread-safe.
 */
final class AuditStamp {
  private static final Logger log = LoggerFactory.getLogger(AuditStamp.class);
  static final String KEY = "audited.json";

  private final ObjectStore store;
  private final StoreEnvironment environment;

  /** When there was a stamp that was new, by this process's clock. */
  private Long newAt;

  AuditStamp(ObjectStore store, StoreEnvironment environment) {
    this.store = store;
    this.environment = environment;
  }

  /** Stamps it, unless somebody did within this time; whether it was stamped by this call. */
  synchronized boolean take(Duration interval) {
    long now = environment.nanoTime().getAsLong();
    if (newAt != null && now - newAt < interval.toNanos()) {
      return false;
    }
    Optional<StoredObject> stamp = store.get(KEY);
    if (stamp.isPresent()) {
      Duration age = Duration.between(stamp.get().modifiedAt(), stamp.get().readAt());
      if (age.compareTo(interval) < 0) {
        newAt = now - Math.max(0, age.toNanos());
        return false;
      }
    }
    String nonce = environment.nonce();
    byte[] bytes = Documents.write(json -> json.writeStringField("nonce", nonce));
    ObjectBody body = ObjectBody.withToken(bytes, nonce);
    try {
      PutResult result =
          stamp.isPresent()
              ? store.putIfMatch(KEY, body, stamp.get().tag())
              : store.putIfAbsent(KEY, body);
      newAt = now;
      return result instanceof Stored;
    } catch (UnknownOutcomeException e) {
      log.debug("Whether an audit was begun is not known; the next one is not far.", e);
      return false;
    }
  }
}
