package dev.sluice.object;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Wakes the workers of this process when this process gives them something to do. Workers elsewhere
 * find out when they poll: a bucket calls nobody.
 */
final class LocalWaker {
  private final Map<String, Runnable> sleepers = new ConcurrentHashMap<>();

  void add(String worker, Runnable wake) {
    sleepers.put(worker, wake);
  }

  void remove(String worker) {
    sleepers.remove(worker);
  }

  /** Whether this process has workers. */
  boolean hasSleepers() {
    return !sleepers.isEmpty();
  }

  /** There may be something to do for all but this worker. */
  void wakeOthers(String worker) {
    sleepers.forEach(
        (id, wake) -> {
          if (!id.equals(worker)) {
            wake.run();
          }
        });
  }

  /** There may be something to do. */
  void wake() {
    sleepers.values().forEach(Runnable::run);
  }
}
