package dev.sluice.object;

import dev.sluice.StoreIncompatibleException;
import dev.sluice.object.state.JobDocuments;
import dev.sluice.object.state.Segment;
import dev.sluice.object.state.SegmentSource;
import dev.sluice.object.state.ShardState;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Segments that were read once: they never change. */
final class SegmentCache implements SegmentSource {
  private static final int SPARE = 64;
  private static final String CONSEQUENCE = "Until then its jobs wait; all others go on.";

  private final ObjectStore store;
  private final DamagedObjects damaged;
  private final Map<String, Segment> segments = new ConcurrentHashMap<>();

  SegmentCache(ObjectStore store, DamagedObjects damaged) {
    this.store = store;
    this.damaged = damaged;
  }

  /** The segment was dropped and deleted after the state that refers to it was read. */
  static final class SegmentGoneException extends RuntimeException {
    private final String key;
    private final String name;

    SegmentGoneException(String key, String name) {
      super("The segment '%s' is gone; the state that refers to it is old.".formatted(name));
      this.key = key;
      this.name = name;
    }

    String key() {
      return key;
    }

    /** The state was not old after all. */
    StoreIncompatibleException asDamage() {
      return new StoreIncompatibleException(
          "The object '%s' is missing, and jobs in it are unfinished. Restore it from a backup."
              .formatted(name),
          this);
    }
  }

  @Override
  public Segment get(String key) {
    Segment known = segments.get(key);
    if (known != null) {
      return known;
    }
    damaged.mayAsk(key);
    String name = store.nameOf(key);
    try {
      StoredObject object = store.get(key).orElseThrow(() -> new SegmentGoneException(key, name));
      Segment read = JobDocuments.readSegment(key, name, object.body());
      damaged.readable(key);
      Segment first = segments.putIfAbsent(key, read);
      return first == null ? read : first;
    } catch (StoreIncompatibleException e) {
      damaged.found(key, e, CONSEQUENCE);
      throw e;
    }
  }

  /**
   * Takes note of a segment that was not there, if a state that was read after the look still
   * refers to it: segments are deleted after the commit that drops them, so somebody else did it.
   *
   * @return whether it does
   */
  boolean isMissingIf(SegmentGoneException gone, ShardState now) {
    boolean needed =
        now.jobs().segments().values().stream().anyMatch(ref -> ref.key().equals(gone.key()));
    if (needed) {
      isMissing(gone);
    }
    return needed;
  }

  /** Takes note that a segment is gone although jobs in it are unfinished. */
  private void isMissing(SegmentGoneException missing) {
    damaged.found(missing.key(), missing.asDamage(), CONSEQUENCE);
  }

  /** Remembers a segment that was written here. */
  void put(Segment segment) {
    segments.put(segment.key(), segment);
  }

  /** Whether it keeps many more than so many segments. */
  boolean isLargerThan(int needed) {
    return segments.size() > 2 * needed + SPARE;
  }

  /** Forgets all other segments. */
  void forgetAllBut(Set<String> needed) {
    segments.keySet().retainAll(needed);
  }

  /** Forgets segments that nobody needs. */
  void forget(Collection<String> keys) {
    damaged.forget(keys);
    segments.keySet().removeAll(Set.copyOf(keys));
  }
}
