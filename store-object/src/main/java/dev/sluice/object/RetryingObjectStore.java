package dev.sluice.object;

import dev.sluice.StoreUnavailableException;
import dev.sluice.object.PutResult.Lost;
import dev.sluice.object.PutResult.Reason;
import dev.sluice.object.PutResult.Stored;
import java.util.Collection;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Tries again what failed for the moment, and finds out about puts whose answer was lost.
 *
 * <p>Reads, lists and deletes may simply be repeated. A put may be repeated too, because it is
 * conditional: of all its tries at most one can be carried out, whenever they arrive. The first one
 * that is changes the tag, or makes the object, and so defeats the others. What needs care is the
 * answer "lost" after a try whose outcome is unknown, for it may be our own earlier try that we
 * lost to. Then the object is read:
 *
 * <pre>
 *            stored ─────────────────────────────────────────────▶ Stored
 *   put ───▶ lost, every earlier try known to have failed ───────▶ Lost
 *    ▲       lost, an earlier try unknown ──▶ read ── our bytes ─▶ Stored, with the tag that was read
 *    │                                         └───── others ────▶ UnknownOutcomeException
 *    └────── unknown, unavailable, busy
 * </pre>
 *
 * Our bytes are told from others' by the token in them ({@link ObjectBody}); a body without one is
 * never recognised. Other bytes leave two possibilities: we lost, or we stored and somebody
 * replaced it since. Nobody could say which, so the caller has to read and decide anew. What must
 * not be answered is "stored": the caller would take the tag for that of its own state and write
 * over the other's.
 *
 * <p>A put that ended in an exception may still be carried out later. One that ended as stored or
 * lost may not, for its condition can no longer be met; unless the key is deleted, which is why
 * only keys are deleted that no longer matter.
 */
final class RetryingObjectStore implements ObjectStore {
  private static final PutResult BUSY = new Lost(Reason.BUSY);

  private final ObjectStore store;
  private final RetrySchedule schedule;

  RetryingObjectStore(ObjectStore store, RetrySchedule schedule) {
    this.store = store;
    this.schedule = schedule;
  }

  @Override
  public boolean isPaidFor() {
    return store.isPaidFor();
  }

  @Override
  public Optional<StoredObject> get(String key) {
    return repeat(() -> store.get(key));
  }

  @Override
  public PutResult putIfAbsent(String key, ObjectBody body) {
    return put(key, body, () -> store.putIfAbsent(key, body));
  }

  @Override
  public PutResult putIfMatch(String key, ObjectBody body, String tag) {
    return put(key, body, () -> store.putIfMatch(key, body, tag));
  }

  @Override
  public ObjectPage list(String prefix, String after, int limit) {
    return repeat(() -> store.list(prefix, after, limit));
  }

  @Override
  public void delete(String key) {
    repeat(
        () -> {
          store.delete(key);
          return null;
        });
  }

  @Override
  public void deleteAll(Collection<String> keys) {
    repeat(
        () -> {
          store.deleteAll(keys);
          return null;
        });
  }

  @Override
  public void close() {
    store.close();
  }

  @Override
  public String toString() {
    return store.toString();
  }

  private <T> T repeat(Supplier<T> request) {
    RetrySchedule.Run run = schedule.begin();
    while (true) {
      try {
        return request.get();
      } catch (StoreUnavailableException e) {
        if (!run.next()) {
          throw e;
        }
      }
    }
  }

  private PutResult put(String key, ObjectBody body, Supplier<PutResult> request) {
    RetrySchedule.Run run = schedule.begin();
    UnknownOutcomeException doubt = null;
    PutResult answer = null;
    while (answer == null) {
      try {
        PutResult result = request.get();
        answer = result.equals(BUSY) && run.next() ? null : result;
      } catch (UnknownOutcomeException e) {
        doubt = e;
        if (!run.next()) {
          throw doubt;
        }
      } catch (StoreUnavailableException e) {
        if (!run.next()) {
          throw doubt == null ? e : doubt;
        }
      }
    }
    return answer instanceof Lost && doubt != null ? readBack(key, body, doubt) : answer;
  }

  /** Settles a put that lost, perhaps to itself. */
  private Stored readBack(String key, ObjectBody body, UnknownOutcomeException doubt) {
    if (body.isUnique()) {
      Optional<StoredObject> ours = get(key).filter(body::isIn);
      if (ours.isPresent()) {
        return new Stored(ours.get().tag(), ours.get().readAt());
      }
    }
    throw new UnknownOutcomeException(
        "A put to '%s' got no answer, and by now the object is not what it wrote. Read it again."
            .formatted(key),
        doubt);
  }
}
