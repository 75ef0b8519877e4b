package dev.sluice.metrics;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * Keeps the number of values of a label bounded, whatever the number of things that are measured:
 * so many have their own, the rest are {@value #OTHER}.
 *
 * <p>Who comes first gets a name. Every few minutes those of the rest that were used more than
 * twice as much as the least used names take their places, a tenth of all at most: names follow the
 * busiest, and series do not come and go all the time. Thread-safe; to ask for a name is a look-up.
 */
final class BoundedLabels {
  static final String OTHER = "other";
  static final Duration PERIOD = Duration.ofMinutes(5);

  /** How many of the rest are counted, for each name: the busy ones are among them soon enough. */
  private static final int CANDIDATES_PER_NAME = 10;

  private final int most;
  private final Consumer<String> dropped;
  private final LongSupplier nanos;
  private final Map<String, LongAdder> named = new ConcurrentHashMap<>();
  private final Map<String, Long> candidates = new HashMap<>();
  private volatile long changesAt;

  /**
   * No more than {@code most} names.
   *
   * @param dropped hears of each name that has lost its place
   * @param nanos a monotonic clock
   */
  BoundedLabels(int most, Consumer<String> dropped, LongSupplier nanos) {
    this.most = most;
    this.dropped = dropped;
    this.nanos = nanos;
    this.changesAt = nanos.getAsLong() + PERIOD.toNanos();
  }

  /** The label for what has this name: itself or {@value #OTHER}. Counts as a use. */
  String of(String name) {
    if (nanos.getAsLong() - changesAt >= 0) {
      change();
    }
    LongAdder uses = named.get(name);
    if (uses == null) {
      return admit(name);
    }
    uses.increment();
    return name;
  }

  /**
   * Does this with a label that {@link #of} gave, or with {@value #OTHER} if the name has lost its
   * place since; it does not lose it meanwhile.
   */
  synchronized <T> T whileNamed(String label, Function<String, T> action) {
    return action.apply(named.containsKey(label) ? label : OTHER);
  }

  private synchronized String admit(String name) {
    if (named.containsKey(name) || named.size() < most) {
      named.computeIfAbsent(name, any -> new LongAdder()).increment();
      return name;
    }
    if (candidates.containsKey(name) || candidates.size() < most * CANDIDATES_PER_NAME) {
      candidates.merge(name, 1L, Long::sum);
    }
    return OTHER;
  }

  private synchronized void change() {
    long now = nanos.getAsLong();
    if (now - changesAt < 0) {
      return;
    }
    changesAt = now + PERIOD.toNanos();
    List<Map.Entry<String, Long>> challengers = new ArrayList<>(candidates.entrySet());
    challengers.sort(Map.Entry.<String, Long>comparingByValue().reversed());
    List<Map.Entry<String, LongAdder>> leastUsed = new ArrayList<>(named.entrySet());
    leastUsed.sort(Comparator.comparingLong(entry -> entry.getValue().sum()));
    int changes = Math.min(Math.max(1, most / 10), Math.min(challengers.size(), leastUsed.size()));
    for (int i = 0; i < changes; i++) {
      Map.Entry<String, Long> challenger = challengers.get(i);
      Map.Entry<String, LongAdder> holder = leastUsed.get(i);
      if (challenger.getValue() <= 2 * holder.getValue().sum()) {
        break;
      }
      String loser = holder.getKey();
      named.remove(loser);
      named.put(challenger.getKey(), new LongAdder());
      dropped.accept(loser);
    }
    candidates.clear();
    named.values().forEach(LongAdder::reset);
  }
}
