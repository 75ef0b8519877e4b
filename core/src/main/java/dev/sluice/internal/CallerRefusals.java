package dev.sluice.internal;

import dev.sluice.Group;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Counts refusals that happen outside of workers: of submits, and of permits. Each is counted once:
 * in the bulletins of the longest running worker of the same Sluice, or here while there is none.
 * Thread-safe.
 */
public final class CallerRefusals {
  private final List<Chronicle> workers = new CopyOnWriteArrayList<>();
  private final GroupTallies unpublished = new GroupTallies();

  void count(Group group) {
    String name = group.toString();
    for (Chronicle worker : workers) {
      worker.rejected(name);
      return;
    }
    unpublished.rejected(name);
  }

  /** A worker publishes from now on what is counted. */
  void join(Chronicle worker) {
    workers.add(worker);
  }

  /** The worker publishes no more. */
  void leave(Chronicle worker) {
    workers.remove(worker);
  }

  /** What no bulletin tells, by canonical name of the group; the less busy groups as one. */
  Map<String, Long> unpublished() {
    Map<String, Long> counts = new HashMap<>();
    unpublished.read().forEach((group, tally) -> counts.put(group, tally.rejected()));
    return counts;
  }
}
