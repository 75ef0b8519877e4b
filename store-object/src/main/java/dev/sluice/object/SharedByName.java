package dev.sluice.object;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;

/** Things that exist once in this JVM for each name, from the first who joins to the last. */
final class SharedByName<K, T> {
  private final Map<K, Seats<T>> byName = new HashMap<>();

  /** The thing of this name, made if nobody has it yet. */
  synchronized T join(K name, Supplier<T> maker) {
    Seats<T> seats = byName.computeIfAbsent(name, n -> new Seats<>(maker.get()));
    seats.taken++;
    return seats.thing;
  }

  /** Undoes one {@link #join}. */
  synchronized void leave(K name) {
    Seats<T> seats = byName.get(name);
    seats.taken--;
    if (seats.taken == 0) {
      byName.remove(name);
    }
  }

  private static final class Seats<T> {
    final T thing;
    int taken;

    Seats(T thing) {
      this.thing = thing;
    }
  }
}
