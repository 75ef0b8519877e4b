package dev.sluice.object;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Wakes the workers of this process when this process gives them something to do. Workers elsewhere
 * find out when they poll: a bucket calls nobody.
 */
final class LocalWaker {
  /** A worker that can be woken. */
  interface Sleeper {
    /**
     * There may be something to do.
     *
     * @param news whether that may be a job that is not in the control object yet
     */
    void wake(boolean news);
  }

  private final Map<String, Sleeper> sleepers = new ConcurrentHashMap<>();

  void add(String worker, Sleeper sleeper) {
    sleepers.put(worker, sleeper);
  }

  void remove(String worker) {
    sleepers.remove(worker);
  }

  /** Whether this process has workers. */
  boolean hasSleepers() {
    return !sleepers.isEmpty();
  }

  /** A slot came free: there may be something to do for all but this worker. */
  void wakeOthers(String worker) {
    sleepers.forEach(
        (id, sleeper) -> {
          if (!id.equals(worker)) {
            sleeper.wake(false);
          }
        });
  }

  /** There may be something to do. */
  void wake() {
    sleepers.values().forEach(sleeper -> sleeper.wake(true));
  }
}
