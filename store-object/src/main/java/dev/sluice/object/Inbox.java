package dev.sluice.object;

import dev.sluice.object.state.Micros;
import dev.sluice.object.state.SegmentKeys;
import dev.sluice.object.state.SegmentKeys.Submitted;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Submitted segments, found by listing all of them each time: a segment whose put was slow may
 * appear behind others that are long done with.
 *
 * <p>A guarded segment belongs to its submitter at first, which admits it itself. If that one died,
 * others take it in after a while.
 */
final class Inbox {
  private static final Logger log = LoggerFactory.getLogger(Inbox.class);
  static final Duration ABANDONED_AFTER = Duration.ofSeconds(30);

  private final ObjectStore store;
  private final StoreClock clock;
  private final Set<String> foreign = ConcurrentHashMap.newKeySet();

  Inbox(ObjectStore store, StoreClock clock) {
    this.store = store;
    this.clock = clock;
  }

  /**
   * A segment in the inbox.
   *
   * @param name what its key says
   * @param key the key
   * @param abandoned whether its submitter had time enough to admit it
   */
  record Found(Submitted name, String key, boolean abandoned) {}

  /** Everything in the inbox. */
  List<Found> list() {
    List<Found> found = new ArrayList<>();
    for (ListedObject object : store.listAll(SegmentKeys.INBOX)) {
      Optional<Submitted> name = SegmentKeys.submitted(object.key());
      if (name.isPresent()) {
        long age = clock.now() - Micros.of(object.modifiedAt());
        found.add(new Found(name.get(), object.key(), age > Micros.of(ABANDONED_AFTER)));
      } else if (foreign.add(object.key())) {
        log.warn(
            "The object '{}' in {} is none of Sluice's and is left alone. Remove it, or keep such objects elsewhere.",
            object.key(),
            store);
      }
    }
    return found;
  }
}
