package dev.sluice.object;

import dev.sluice.StoreUnavailableException;
import dev.sluice.object.PutResult.Lost;
import dev.sluice.object.PutResult.Reason;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/**
 * A store on a bad line: it fails as it is told, or at random from a seed, and never lies. Put it
 * around a sound store.
 */
final class FailingObjectStore implements ObjectStore {
  /** What can happen to a request. */
  enum Failure {
    /** Nothing. */
    NONE,
    /** It does not arrive. */
    LOSE_REQUEST,
    /** It is carried out, and the answer does not arrive. */
    LOSE_REPLY,
    /** It counts as unanswered, and is carried out some requests later. Puts only. */
    LATE,
    /** Another put is said to be under way. Puts only. */
    BUSY,
    /** It takes a moment longer. */
    SLOW
  }

  private static final int MOST_REQUESTS_LATE = 6;
  private static final long SLOW_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  private final ObjectStore store;
  private final Random random;
  private final double share;
  private final Queue<Failure> script = new ArrayDeque<>();
  private final List<LatePut> late = new ArrayList<>();

  private record LatePut(Runnable put, int[] requestsToGo) {}

  /**
   * Fails at random.
   *
   * @param share of the requests that fail, from 0 to 1
   */
  FailingObjectStore(ObjectStore store, long seed, double share) {
    this.store = store;
    this.random = new Random(seed);
    this.share = share;
  }

  /** Fails as it is told, one request after the other, and then no more. */
  static FailingObjectStore scripted(ObjectStore store, Failure... failures) {
    FailingObjectStore failing = new FailingObjectStore(store, 0, 0);
    failing.script.addAll(List.of(failures));
    return failing;
  }

  /** Carries out every put that is late. */
  void landLatePuts() {
    List<Runnable> due = new ArrayList<>();
    synchronized (this) {
      late.forEach(put -> due.add(put.put));
      late.clear();
    }
    due.forEach(Runnable::run);
  }

  @Override
  public Optional<StoredObject> get(String key) {
    return request(() -> store.get(key));
  }

  @Override
  public PutResult putIfAbsent(String key, ObjectBody body) {
    return put(() -> store.putIfAbsent(key, body));
  }

  @Override
  public PutResult putIfMatch(String key, ObjectBody body, String tag) {
    return put(() -> store.putIfMatch(key, body, tag));
  }

  @Override
  public ObjectPage list(String prefix, String after, int limit) {
    return request(() -> store.list(prefix, after, limit));
  }

  @Override
  public void delete(String key) {
    deleteAll(List.of(key));
  }

  @Override
  public void deleteAll(Collection<String> keys) {
    request(
        () -> {
          store.deleteAll(keys);
          return null;
        });
  }

  @Override
  public void close() {
    store.close();
  }

  private <T> T request(Supplier<T> request) {
    Failure failure = nextFailure();
    if (failure == Failure.LOSE_REQUEST) {
      throw new StoreUnavailableException("The request was lost");
    }
    T answer = request.get();
    if (failure == Failure.LOSE_REPLY) {
      throw new StoreUnavailableException("The reply was lost");
    }
    return answer;
  }

  private PutResult put(Supplier<PutResult> put) {
    return switch (nextFailure()) {
      case NONE, SLOW -> put.get();
      case BUSY -> new Lost(Reason.BUSY);
      case LOSE_REQUEST -> throw unknown("request");
      case LOSE_REPLY -> {
        put.get();
        throw unknown("reply");
      }
      case LATE -> {
        keepForLater(put);
        throw unknown("put is late, and so its reply");
      }
    };
  }

  private static UnknownOutcomeException unknown(String what) {
    return new UnknownOutcomeException("The " + what + " was lost", null);
  }

  private synchronized void keepForLater(Supplier<PutResult> put) {
    late.add(new LatePut(put::get, new int[] {random.nextInt(MOST_REQUESTS_LATE)}));
  }

  private Failure nextFailure() {
    List<Runnable> due = new ArrayList<>();
    Failure failure;
    synchronized (this) {
      if (share > 0) {
        late.removeIf(put -> put.requestsToGo[0]-- == 0 && due.add(put.put));
      }
      failure = script.isEmpty() ? drawn() : script.remove();
    }
    due.forEach(Runnable::run);
    if (failure == Failure.SLOW) {
      LockSupport.parkNanos(SLOW_NANOS);
    }
    return failure;
  }

  private Failure drawn() {
    Failure[] failures = Failure.values();
    return random.nextDouble() < share
        ? failures[1 + random.nextInt(failures.length - 1)]
        : Failure.NONE;
  }
}
