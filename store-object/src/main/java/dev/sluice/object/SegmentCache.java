package dev.sluice.object;

import dev.sluice.SluiceException;
import dev.sluice.StoreIncompatibleException;
import dev.sluice.StoreUnavailableException;
import dev.sluice.object.state.JobDocuments;
import dev.sluice.object.state.Segment;
import dev.sluice.object.state.SegmentSource;
import dev.sluice.object.state.ShardState;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Segments that were read once: they never change. Where many are needed, they are read at the same
 * time: a backlog of jobs that were submitted one by one has a segment for each.
 */
final class SegmentCache implements SegmentSource {
  private static final int SPARE = 64;
  private static final String CONSEQUENCE = "Until then its jobs wait; all others go on.";

  private static final Logger log = LoggerFactory.getLogger(SegmentCache.class);

  private final ObjectStore store;
  private final StoreEnvironment environment;
  private final DamagedObjects damaged;
  private final Map<String, Segment> segments = new ConcurrentHashMap<>();

  SegmentCache(ObjectStore store, StoreEnvironment environment, DamagedObjects damaged) {
    this.store = store;
    this.environment = environment;
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

  /**
   * Reads those of these segments that are not known yet, all at the same time, and waits for them.
   * One that cannot be read is asked for again by the step that needs it, which is told why.
   */
  void fetch(Stream<String> keys) {
    List<String> unknown = keys.filter(key -> !segments.containsKey(key)).distinct().toList();
    if (unknown.size() < 2) {
      return;
    }
    CompletableFuture<?>[] reads =
        unknown.stream()
            .map(key -> CompletableFuture.runAsync(() -> tryGet(key), environment.reads()))
            .toArray(CompletableFuture[]::new);
    try {
      environment.await().result(CompletableFuture.allOf(reads));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StoreUnavailableException("Interrupted while segments were being read.", e);
    } catch (ExecutionException e) {
      throw Committer.rethrown(e.getCause());
    }
  }

  private void tryGet(String key) {
    try {
      get(key);
    } catch (SluiceException | SegmentGoneException e) {
      log.debug("The segment '{}' was not read ahead.", key, e);
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
