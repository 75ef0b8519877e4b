package dev.sluice.cli.demo;

import dev.sluice.ConcurrencyLimits;
import dev.sluice.Group;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalInt;

/**
 * The limits in force, as the store says them: an operator may change them while the demo runs. A
 * peak is held against the highest that was in force at any time.
 */
public final class Limits {
  private final ConcurrencyLimits store;
  private final Map<Group, OptionalInt> current = new HashMap<>();
  private final Map<Group, OptionalInt> highest = new HashMap<>();

  public Limits(ConcurrencyLimits store) {
    this.store = store;
    for (DemoTask task : DemoTask.ALL) {
      store.removeLimit(task.limited());
      for (Group group : task.groups()) {
        current.put(group, task.limit());
        highest.put(group, task.limit());
      }
    }
  }

  /** Asks the store again. */
  public void refresh() {
    for (DemoTask task : DemoTask.ALL) {
      for (Group group : task.groups()) {
        OptionalInt now = store.status(group).limit();
        current.put(group, now);
        highest.computeIfPresent(group, (g, before) -> higher(before, now));
      }
    }
  }

  private static OptionalInt higher(OptionalInt one, OptionalInt other) {
    return one.isEmpty() || other.isEmpty()
        ? OptionalInt.empty()
        : OptionalInt.of(Math.max(one.getAsInt(), other.getAsInt()));
  }

  /** The limit now; empty = unlimited. */
  OptionalInt current(Group group) {
    return current.get(group);
  }

  /** The highest limit there was; empty = unlimited at some time. */
  OptionalInt highest(Group group) {
    return highest.get(group);
  }
}
