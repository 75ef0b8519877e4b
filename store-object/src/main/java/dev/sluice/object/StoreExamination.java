package dev.sluice.object;

import dev.sluice.object.PutResult.Lost;
import dev.sluice.object.PutResult.Stored;
import dev.sluice.object.StoreProbe.Dialect;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Supplier;

/**
 * One look at everything that {@link ObjectStore} promises and some servers do not keep, on keys
 * that nobody else uses.
 *
 * <p>Sequential faults come first, because they are certain. Then races ({@link StoreRaces}).
 *
 * <p>A store may be spoken to in several dialects. Only one finding may come from the wrong one:
 * that the right tag was refused. Whatever else is found is the store's own fault, and a second
 * chance would only be a second throw of the dice for a store that is wrong now and then.
 */
final class StoreExamination {
  private static final String RIGHT_TAG_REFUSED =
      "it refused to replace an object although the tag was right";

  private final ObjectStore store;
  private final Dialect dialect;
  private final List<String> kept = new ArrayList<>();
  private final String folder = "probe/" + UUID.randomUUID();

  private StoreExamination(Dialect dialect) {
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

  /**
   * What was found in the dialect that the store understands.
   *
   * @param dialect the dialect
   * @param result what was found in it
   */
  record Verdict(Dialect dialect, Result result) {}

  /**
   * Examines a store in the dialect that it understands.
   *
   * @param dialects ways to speak to it, the usual one first
   */
  static Verdict of(List<Dialect> dialects) {
    Verdict last = null;
    for (Dialect dialect : dialects) {
      last = new Verdict(dialect, new StoreExamination(dialect).run());
      if (!last.result.fault.equals(Optional.of(RIGHT_TAG_REFUSED))) {
        break;
      }
    }
    return last;
  }

  /** Looks at one promise after the other, up to the first that is not kept. */
  private Result run() {
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
    require(stored, RIGHT_TAG_REFUSED);
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

  /** In a directory the writers of one process take turns anyway. */
  private void checkRaces() throws Fault {
    int winsEach = store.isPaidFor() ? StoreRaces.WINS_EACH : 1;
    Optional<String> fault = new StoreRaces(store, folder, winsEach).run();
    require(fault.isEmpty(), fault.orElse(""));
    kept.add("of %d writers at once it lets one win".formatted(StoreRaces.RACERS));
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
