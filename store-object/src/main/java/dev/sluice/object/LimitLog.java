package dev.sluice.object;

import dev.sluice.Group;
import dev.sluice.LimitLevel;
import dev.sluice.SluiceException;
import dev.sluice.object.PutResult.Stored;
import dev.sluice.object.state.ChangeLog.Logged;
import dev.sluice.object.state.LimitDocuments;
import dev.sluice.object.state.ShardState;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The log of limits: one object with the latest changes, beside the control object.
 *
 * <p>A change is first part of the control object, in the commit that makes it, so there is no
 * change that the log misses. From there any process moves it to the log: it replaces the log by
 * one that has the change, and then lets go of it in the control object. A crash between the two
 * leaves it in both places, and its number tells that it is the same.
 */
final class LimitLog {
  private static final Logger log = LoggerFactory.getLogger(LimitLog.class);
  private static final String KEY = "changes.json";

  /** How many changes are kept in any case. */
  static final int KEPT = 1_000;

  private final ObjectStore store;
  private final StoreEnvironment environment;
  private final Committer committer;
  private long moved;
  private boolean scheduled;

  LimitLog(ObjectStore store, StoreEnvironment environment, Committer committer) {
    this.store = store;
    this.environment = environment;
    this.committer = committer;
  }

  /** What the log has. */
  private record Content(List<Logged> changes, Optional<String> tag) {
    long last() {
      return changes.isEmpty() ? 0 : changes.get(changes.size() - 1).number();
    }
  }

  private Content read() {
    return store
        .get(KEY)
        .map(
            object ->
                new Content(
                    LimitDocuments.readLog(store.nameOf(KEY), object.body()),
                    Optional.of(object.tag())))
        .orElse(new Content(List.of(), Optional.empty()));
  }

  /** The log with changes that it may not have yet, newest first. */
  List<Logged> with(List<Logged> pending) {
    TreeMap<Long, Logged> all = new TreeMap<>(Collections.reverseOrder());
    read().changes.forEach(change -> all.put(change.number(), change));
    pending.forEach(change -> all.put(change.number(), change));
    return List.copyOf(all.values());
  }

  /** Takes note of a commit: changes that are on their way are seen to, by nobody in particular. */
  synchronized void afterCommit(ShardState state) {
    List<Logged> pending = state.limits().log().pending();
    if (!scheduled && !pending.isEmpty() && pending.get(pending.size() - 1).number() > moved) {
      scheduled = true;
      environment.chores().execute(this::move);
    }
  }

  private void move() {
    synchronized (this) {
      scheduled = false;
    }
    try {
      move(committer.latest().state().limits().log().pending());
    } catch (SluiceException e) {
      log.debug("Changes of limits could not be moved to the log; the next commit does it.", e);
    }
  }

  /**
   * The latest, and of each limit that a configuration file gives the change that set it: the file
   * can take back only what the log says is its own.
   */
  static List<Logged> kept(List<Logged> changes) {
    int old = changes.size() - KEPT;
    if (old <= 0) {
      return changes;
    }
    Map<Group, Logged> standing = new HashMap<>();
    for (Logged logged : changes) {
      if (logged.change().level() == LimitLevel.CONFIG) {
        standing.put(logged.change().group(), logged);
      }
    }
    List<Logged> kept = new ArrayList<>();
    for (Logged logged : changes.subList(0, old)) {
      if (standing.get(logged.change().group()) == logged && logged.change().after().isPresent()) {
        kept.add(logged);
      }
    }
    kept.addAll(changes.subList(old, changes.size()));
    return kept;
  }

  private void move(List<Logged> pending) {
    Content before = read();
    List<Logged> changes = new ArrayList<>(before.changes);
    pending.stream().filter(change -> change.number() > before.last()).forEach(changes::add);
    if (changes.size() > before.changes.size()) {
      String nonce = environment.nonce();
      ObjectBody body = ObjectBody.withToken(LimitDocuments.writeLog(kept(changes), nonce), nonce);
      PutResult result =
          before.tag.isPresent()
              ? store.putIfMatch(KEY, body, before.tag.get())
              : store.putIfAbsent(KEY, body);
      if (!(result instanceof Stored)) {
        return;
      }
    }
    long through = new Content(changes, before.tag).last();
    synchronized (this) {
      moved = Math.max(moved, through);
    }
    committer.commitSometime(
        draft -> {
          draft.logged(through);
          return true;
        });
  }
}
