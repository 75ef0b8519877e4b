package dev.sluice.object;

import dev.sluice.object.PutResult.Lost;
import dev.sluice.object.PutResult.Stored;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionService;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Writers that race each other on keys that nobody else uses, to see whether of several that rely
 * on the same condition exactly one wins.
 *
 * <p>A server that looks at the condition and writes in a second step is right as long as requests
 * come one after the other, and mostly right after that. So the writers meet often: they create
 * some objects at the same moment, and then count in one object, each until it has won {@link
 * #winsEach} times. Their connections are open before they begin, because the first requests over
 * new ones arrive one after the other. Of a counter nothing can be lost unseen: no two may win the
 * same number, and in the end it says how many writes won. An answer that leaves the outcome
 * unknown is no fault, if what is found in the end fits. The race has an end on any server: when no
 * write wins any more, that is the fault.
 *
 * <p>When it is over, with a result or a failure, no writer is at work any more, so what they wrote
 * can be deleted.
 */
final class StoreRaces {
  static final int RACERS = 8;
  static final int WINS_EACH = 10;
  private static final int CREATES = 20;

  /**
   * So many tries after each other that all lose are a fault: of those that see one state of the
   * counter one has to win, so on a sound server a win is at most two tries of each writer away.
   */
  private static final int MOST_LOST_IN_A_ROW = 25 * RACERS;

  /** For how long writers are waited for that have been told to stop: requests end before. */
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private static final String LOST_UPDATES =
      "it lost updates of %d writers that replaced one object".formatted(RACERS);

  /** What a counter says: its number, and the token of the write. */
  private static final Pattern NUMBER = Pattern.compile("(\\d{1,9}) [0-9a-f-]{36}");

  private final ObjectStore store;
  private final String folder;
  private final int winsEach;

  /**
   * Races in this folder.
   *
   * @param winsEach how often each writer of the counter has to win
   */
  StoreRaces(ObjectStore store, String folder, int winsEach) {
    this.store = store;
    this.folder = folder;
    this.winsEach = winsEach;
  }

  /** What the store did wrong, if anything. */
  Optional<String> run() {
    CyclicBarrier line = new CyclicBarrier(RACERS);
    Optional<String> fault = create(line);
    return fault.isPresent() ? fault : count(line);
  }

  // Creating

  private record Try(ObjectBody body, Optional<PutResult> result) {}

  private Optional<String> create(CyclicBarrier line) {
    List<List<Try>> writers =
        atOnce(
            () -> {
              store.get(folder + "/warm-up");
              List<Try> tries = new ArrayList<>();
              for (int round = 0; round < CREATES; round++) {
                ObjectBody body = body("");
                String key = created(round);
                line.await();
                tries.add(new Try(body, known(() -> store.putIfAbsent(key, body))));
              }
              return tries;
            });
    for (int round = 0; round < CREATES; round++) {
      int number = round;
      Optional<String> fault =
          judge(store.get(created(round)), writers.stream().map(w -> w.get(number)).toList());
      if (fault.isPresent()) {
        return fault;
      }
    }
    return Optional.empty();
  }

  private String created(int round) {
    return folder + "/race-" + round;
  }

  /** At most the one whose bytes are found may have won. */
  private static Optional<String> judge(Optional<StoredObject> found, List<Try> tries) {
    int winners = 0;
    boolean truthful = true;
    for (Try each : tries) {
      boolean there = found.filter(each.body::isIn).isPresent();
      boolean won = each.result.filter(Stored.class::isInstance).isPresent();
      boolean lost = each.result.filter(Lost.class::isInstance).isPresent();
      winners += won ? 1 : 0;
      truthful &= !(won && !there) && !(lost && there);
    }
    if (winners > 1) {
      return Optional.of(
          "it told %d of %d writers that they alone had managed to create an object"
              .formatted(winners, RACERS));
    }
    return truthful
        ? Optional.empty()
        : Optional.of("it told the wrong writer that it had managed to create an object");
  }

  // Counting

  private Optional<String> count(CyclicBarrier line) {
    Counter counter = new Counter();
    store.putIfAbsent(counter.key, body("0"));
    atOnce(
        () -> {
          line.await();
          counter.count();
          return true;
        });
    return counter.judge();
  }

  /** An object that the writers count in, and what became of their tries. */
  private final class Counter {
    private final String key = folder + "/counter";
    private final Set<Integer> won = ConcurrentHashMap.newKeySet();
    private final AtomicInteger unknown = new AtomicInteger();
    private final AtomicInteger lostInARow = new AtomicInteger();
    private final AtomicReference<String> fault = new AtomicReference<>();

    /** One writer: wins as often as it has to, or until a fault is found. */
    void count() throws Exception {
      for (int wins = 0; wins < winsEach && fault.get() == null; ) {
        Optional<StoredObject> before = store.get(key);
        OptionalInt number = numberIn(before);
        if (number.isEmpty()) {
          return;
        }
        int next = number.getAsInt() + 1;
        ObjectBody body = body(Integer.toString(next));
        Optional<PutResult> result = known(() -> store.putIfMatch(key, body, before.get().tag()));
        if (result.isPresent() && result.get() instanceof Lost) {
          lost();
          continue;
        }
        lostInARow.set(0);
        wins++;
        if (result.isEmpty()) {
          unknown.incrementAndGet();
        } else if (!won.add(next)) {
          fault.compareAndSet(null, LOST_UPDATES);
        }
      }
    }

    private void lost() {
      if (lostInARow.incrementAndGet() >= MOST_LOST_IN_A_ROW) {
        fault.compareAndSet(
            null,
            "of %d writers that tried to replace one object it let none win".formatted(RACERS));
      }
    }

    /** The number the counter stands at; none if the object is not a counter, which is a fault. */
    private OptionalInt numberIn(Optional<StoredObject> object) {
      if (object.isEmpty()) {
        fault.compareAndSet(null, "it showed no object where writers replaced one");
        return OptionalInt.empty();
      }
      Matcher text = NUMBER.matcher(new String(object.get().body(), StandardCharsets.UTF_8));
      if (!text.matches()) {
        fault.compareAndSet(null, "it showed an object that is not as any writer wrote it");
        return OptionalInt.empty();
      }
      return OptionalInt.of(Integer.parseInt(text.group(1)));
    }

    Optional<String> judge() {
      OptionalInt counted = numberIn(store.get(key));
      if (fault.get() == null && counted.getAsInt() < won.size()) {
        fault.set(LOST_UPDATES);
      } else if (fault.get() == null && counted.getAsInt() > won.size() + unknown.get()) {
        fault.set("it refused to replace an object, and replaced it");
      }
      return Optional.ofNullable(fault.get());
    }
  }

  // Writers

  /** What these bytes say, and a token of this write. */
  private static ObjectBody body(String text) {
    String token = UUID.randomUUID().toString();
    return ObjectBody.withToken((text + " " + token).getBytes(StandardCharsets.UTF_8), token);
  }

  /** The result, if it is known. */
  private static Optional<PutResult> known(Callable<PutResult> put) throws Exception {
    try {
      return Optional.of(put.call());
    } catch (UnknownOutcomeException e) {
      return Optional.empty();
    }
  }

  /** Has every writer do this at the same time; what each of them brought. */
  private static <T> List<T> atOnce(Callable<T> writer) {
    ExecutorService threads = Executors.newFixedThreadPool(RACERS);
    // In the order in which they end: if one fails, the others may wait for it in vain.
    CompletionService<T> writers = new ExecutorCompletionService<>(threads);
    try {
      for (int i = 0; i < RACERS; i++) {
        writers.submit(writer);
      }
      List<T> results = new ArrayList<>();
      for (int i = 0; i < RACERS; i++) {
        results.add(writers.take().get());
      }
      return results;
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RuntimeException failure) {
        throw failure;
      }
      throw new IllegalStateException(e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new UnknownOutcomeException("Interrupted while the store was examined", e);
    } finally {
      threads.shutdownNow();
      awaitEnd(threads);
    }
  }

  private static void awaitEnd(ExecutorService threads) {
    try {
      threads.awaitTermination(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
