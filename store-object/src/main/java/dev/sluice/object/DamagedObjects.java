package dev.sluice.object;

import dev.sluice.StoreIncompatibleException;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Objects that cannot be read: overwritten by something else, cut short, or gone.
 *
 * <p>What needs such an object waits until somebody restores it; everything else goes on. So it is
 * asked for again now and then, not with every commit, and it is spoken of now and then, not with
 * every try. Thread-safe.
 */
final class DamagedObjects {
  private static final Logger log = LoggerFactory.getLogger(DamagedObjects.class);
  private static final Duration ASK_AGAIN = Duration.ofSeconds(2);
  private static final Duration SPEAK_AGAIN = Duration.ofMinutes(1);

  private final LongSupplier nanoTime;
  private final Map<String, Damage> byKey = new ConcurrentHashMap<>();

  /** What was found, when it was last found, and when it was last spoken of. */
  private record Damage(String message, long seen, long spoken) {}

  DamagedObjects(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  /**
   * Passes if it is time to ask for this object.
   *
   * @throws StoreIncompatibleException if it was found damaged a moment ago
   */
  void mayAsk(String key) {
    Damage known = byKey.get(key);
    if (known != null && nanoTime.getAsLong() - known.seen < ASK_AGAIN.toNanos()) {
      throw new StoreIncompatibleException(known.message);
    }
  }

  /** The object could not be read; {@code consequence} says what that means, as a sentence. */
  void found(String key, StoreIncompatibleException damage, String consequence) {
    long now = nanoTime.getAsLong();
    Damage known = byKey.get(key);
    boolean speak = known == null || now - known.spoken >= SPEAK_AGAIN.toNanos();
    byKey.put(key, new Damage(damage.getMessage(), now, speak ? now : known.spoken));
    if (speak) {
      log.warn("{} {}", damage.getMessage(), consequence);
    }
  }

  /** The object could be read. */
  void readable(String key) {
    if (!byKey.isEmpty() && byKey.remove(key) != null) {
      log.warn("The object '{}' can be read again.", key);
    }
  }

  /** Nobody needs these any more. */
  void forget(Collection<String> keys) {
    byKey.keySet().removeAll(keys);
  }
}
