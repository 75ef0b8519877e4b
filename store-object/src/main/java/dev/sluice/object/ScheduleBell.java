package dev.sluice.object;

import dev.sluice.SluiceException;
import dev.sluice.object.state.Documents;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells whether any schedule may have changed, by a read instead of a list, which costs twelve
 * times as much on a bucket. Whoever has written a schedule rings: it replaces one small object.
 * Whoever has looked at all schedules since the object has its tag knows them all.
 *
 * <p>A writer that dies before it rings has changed a schedule nobody hears of; so now and then
 * there is a look anyway. Thread-safe.
 */
final class ScheduleBell {
  private static final Logger log = LoggerFactory.getLogger(ScheduleBell.class);
  private static final String KEY = "schedules-changed.json";
  private static final Duration LONGEST_SILENCE = Duration.ofSeconds(30);

  private final ObjectStore store;
  private final StoreEnvironment environment;
  private String heard;
  private long lookedAt;

  ScheduleBell(ObjectStore store, StoreEnvironment environment) {
    this.store = store;
    this.environment = environment;
  }

  /** Says that a schedule was written. */
  void ring() {
    if (!store.isPaidFor()) {
      return;
    }
    String nonce = environment.nonce();
    byte[] bytes = Documents.write(json -> json.writeStringField("nonce", nonce));
    ObjectBody body = ObjectBody.withToken(bytes, nonce);
    try {
      Optional<String> tag = tag();
      // If somebody else is faster, that is after the schedule was written, and as good.
      PutResult result =
          tag.isPresent() ? store.putIfMatch(KEY, body, tag.get()) : store.putIfAbsent(KEY, body);
      log.trace("Rang: {}", result);
    } catch (SluiceException e) {
      log.debug("Other schedulers hear of a changed schedule later.", e);
    }
  }

  private Optional<String> tag() {
    return store.get(KEY).map(StoredObject::tag);
  }

  /** Looks at all schedules, unless nobody rang since the last look. */
  synchronized void ifRung(Runnable look) {
    if (!store.isPaidFor()) {
      look.run();
      return;
    }
    String now = tag().orElse("");
    long time = environment.nanoTime().getAsLong();
    if (heard == null || !heard.equals(now) || time - lookedAt >= LONGEST_SILENCE.toNanos()) {
      heard = null;
      look.run();
      heard = now;
      lookedAt = time;
    }
  }
}
