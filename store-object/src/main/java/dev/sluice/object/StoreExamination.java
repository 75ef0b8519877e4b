package dev.sluice.object;

import dev.sluice.object.PutResult.Lost;
import dev.sluice.object.PutResult.Stored;
import dev.sluice.object.StoreProbe.Dialect;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.BiFunction;
import java.util.function.Supplier;

/**
 * One look at everything that {@link ObjectStore} promises and some servers do not keep, on keys
 * that nobody else uses.
 *
 * <p>Sequential faults come first, because they are certain. Then a few races: a server that checks
 * the condition and writes in two steps lets several writers win, nearly always within some rounds.
 * An answer that leaves the outcome unknown is no fault, if what is found in the end fits.
 */
final class StoreExamination {
  static final int RACERS = 8;
  private static final int ROUNDS = 3;

  private final ObjectStore store;
  private final Dialect dialect;
  private final List<String> kept = new ArrayList<>();
  private final String folder = "probe/" + UUID.randomUUID();

  StoreExamination(Dialect dialect) {
    this.dialect = dialect;
    this.store = dialect.store();
  }

  /**
   * What was found.
   *
   * @param kept what the store did as promised, each as the end of a sentence about it
   * @param fault what it did wrong, likewise; empty if nothing
   */
  record Result(List<String> kept, Optional<String> fault) {}

  /** Looks at one promise after the other, up to the first that is not kept. */
  Result run() {
    try {
      checkCreate();
      checkReplace();
      checkRaces();
      return new Result(List.copyOf(kept), Optional.empty());
    } catch (Fault e) {
      return new Result(List.copyOf(kept), Optional.of(e.getMessage()));
    } finally {
      store.deleteAll(store.listAll(folder + "/").stream().map(ListedObject::key).toList());
    }
  }

  private void checkCreate() throws Fault {
    String key = folder + "/created";
    ObjectBody first = body();
    PutResult created = store.putIfAbsent(key, first);
    require(created instanceof Stored, "it refused to create a new object");
    Optional<StoredObject> read = store.get(key);
    require(
        read.filter(first::isIn).isPresent(), "it did not show an object that was just written");
    String tag = ((Stored) created).tag();
    require(read.get().tag().equals(tag), "it named one tag when writing and another when reading");
    require(
        store.listAll(folder + "/").stream().anyMatch(o -> o.key().equals(key)),
        "it did not list an object that was just written");
    kept.add("it shows and lists an object as soon as it is written");
    Optional<String> objection = dialect.objection().apply(key);
    require(objection.isEmpty(), objection.orElse(""));
    boolean lost = isNotStored(() -> store.putIfAbsent(key, body()));
    require(
        lost && holds(key, first), "it wrote over an object that should only have been created");
    kept.add("it creates an object only if there is none");
    require(
        store.putIfAbsent(folder + "/CREATED", body()) instanceof Stored,
        "it takes keys that differ only in case for one");
    store.delete(key);
    require(store.get(key).isEmpty(), "it showed an object that was just deleted");
    kept.add("it shows a deleted object no more");
  }

  private void checkReplace() throws Fault {
    String key = folder + "/replaced";
    String stale = create(key, body());
    ObjectBody second = body();
    boolean stored = store.putIfMatch(key, second, stale) instanceof Stored;
    require(stored, "it refused to replace an object although the tag was right");
    require(holds(key, second), "it did not show an object that was just replaced");
    boolean lost = isNotStored(() -> store.putIfMatch(key, body(), stale));
    require(lost && holds(key, second), "it replaced an object although the tag was stale");
    String absent = folder + "/absent";
    boolean nothing = isNotStored(() -> store.putIfMatch(absent, body(), stale));
    require(
        nothing && store.get(absent).isEmpty(),
        "it created an object that should only have been replaced");
    kept.add("it replaces an object only under its latest tag");
  }

  private void checkRaces() throws Fault {
    for (int round = 0; round < ROUNDS; round++) {
      String key = folder + "/race-" + round;
      race(key, store::putIfAbsent, "create");
      String tag = store.get(key).map(StoredObject::tag).orElse("");
      race(key, (k, body) -> store.putIfMatch(k, body, tag), "replace");
    }
    kept.add("of %d writers at once it lets one win".formatted(RACERS));
  }

  /** Lets several writers try the same; at most the one whose bytes are found may have won. */
  private void race(String key, BiFunction<String, ObjectBody, PutResult> put, String verb)
      throws Fault {
    List<ObjectBody> bodies = new ArrayList<>();
    for (int i = 0; i < RACERS; i++) {
      bodies.add(body());
    }
    List<Optional<PutResult>> results = atOnce(bodies, body -> put.apply(key, body));
    Optional<StoredObject> found = store.get(key);
    int winners = 0;
    boolean truthful = true;
    for (int i = 0; i < RACERS; i++) {
      boolean there = found.filter(bodies.get(i)::isIn).isPresent();
      boolean won = results.get(i).filter(Stored.class::isInstance).isPresent();
      boolean lost = results.get(i).filter(Lost.class::isInstance).isPresent();
      winners += won ? 1 : 0;
      truthful &= !(won && !there) && !(lost && there);
    }
    require(
        winners <= 1,
        "it told %d of %d writers that they alone had managed to %s an object"
            .formatted(winners, RACERS, verb));
    require(truthful, "it told the wrong writer that it had managed to " + verb + " an object");
  }

  private interface Put {
    PutResult apply(ObjectBody body);
  }

  /** The results in the order of the bodies; empty = unknown. */
  private static List<Optional<PutResult>> atOnce(List<ObjectBody> bodies, Put put) {
    ExecutorService threads = Executors.newFixedThreadPool(bodies.size());
    CyclicBarrier start = new CyclicBarrier(bodies.size());
    try {
      List<Future<PutResult>> running = new ArrayList<>();
      for (ObjectBody body : bodies) {
        running.add(
            threads.submit(
                () -> {
                  start.await();
                  return put.apply(body);
                }));
      }
      List<Optional<PutResult>> results = new ArrayList<>();
      for (Future<PutResult> each : running) {
        results.add(resultOf(each));
      }
      return results;
    } finally {
      threads.shutdownNow();
    }
  }

  private static Optional<PutResult> resultOf(Future<PutResult> put) {
    try {
      return Optional.of(put.get());
    } catch (ExecutionException e) {
      if (e.getCause() instanceof UnknownOutcomeException) {
        return Optional.empty();
      }
      if (e.getCause() instanceof RuntimeException failure) {
        throw failure;
      }
      throw new IllegalStateException(e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new UnknownOutcomeException("Interrupted while the store was examined", e);
    }
  }

  private String create(String key, ObjectBody body) throws Fault {
    PutResult created = store.putIfAbsent(key, body);
    require(created instanceof Stored, "it refused to create a new object");
    return ((Stored) created).tag();
  }

  /** Lost, or unknown: then what is found decides. */
  private static boolean isNotStored(Supplier<PutResult> put) {
    try {
      return put.get() instanceof Lost;
    } catch (UnknownOutcomeException e) {
      return true;
    }
  }

  private boolean holds(String key, ObjectBody body) {
    return store.get(key).filter(body::isIn).isPresent();
  }

  private static ObjectBody body() {
    String token = UUID.randomUUID().toString();
    return ObjectBody.withToken(token.getBytes(StandardCharsets.UTF_8), token);
  }

  private static void require(boolean promiseKept, String fault) throws Fault {
    if (!promiseKept) {
      throw new Fault(fault);
    }
  }

  /** What was found; never leaves this class. */
  private static final class Fault extends Exception {
    Fault(String message) {
      super(message, null, false, false);
    }
  }
}
