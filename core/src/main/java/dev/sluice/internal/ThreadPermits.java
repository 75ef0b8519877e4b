package dev.sluice.internal;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * How many handlers this worker may run at once, in all and per task. A permit is out from the
 * moment an attempt is chosen to start until its handler has really returned, also when the lease
 * it ran under was lost meanwhile. Thread-safe.
 */
final class ThreadPermits {
  private final int all;
  private final Map<String, Integer> limits;
  private final Map<String, Integer> taken = new HashMap<>();
  private int inUse;

  ThreadPermits(int all, Map<String, Integer> limits) {
    this.all = all;
    this.limits = limits;
  }

  synchronized boolean tryTake(String task) {
    if (room(task) <= 0) {
      return false;
    }
    inUse++;
    taken.merge(task, 1, Integer::sum);
    return true;
  }

  synchronized void giveBack(String task) {
    inUse--;
    taken.computeIfPresent(task, (name, count) -> count == 1 ? null : count - 1);
    if (inUse == 0) {
      notifyAll();
    }
  }

  synchronized int free() {
    return all - inUse;
  }

  /** How many more handlers of the task could start now. */
  synchronized int freeFor(String task) {
    return room(task);
  }

  private int room(String task) {
    return Math.min(all - inUse, limits.getOrDefault(task, all) - taken.getOrDefault(task, 0));
  }

  synchronized int inUse() {
    return inUse;
  }

  synchronized int inUseBy(String task) {
    return taken.getOrDefault(task, 0);
  }

  /** Waits until no handler runs; whether that came true in time. */
  synchronized boolean awaitNoneInUse(long nanos) throws InterruptedException {
    long deadline = System.nanoTime() + nanos;
    while (inUse > 0) {
      long left = deadline - System.nanoTime();
      if (left <= 0) {
        return false;
      }
      TimeUnit.NANOSECONDS.timedWait(this, Math.max(left, 1_000_000));
    }
    return true;
  }
}
