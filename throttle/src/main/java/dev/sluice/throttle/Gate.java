package dev.sluice.throttle;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The counter and the line in front of it.
 *
 * <p>Three things are kept under one lock: how many may be inside, how many are, and who waits, in
 * the order of arrival. Whoever arrives enters if there is room <em>and nobody waits</em>;
 * otherwise it joins the line. Only one thing ever takes someone out of the line to let them in:
 * {@link #admitNext}, which counts them as inside in the same breath. So
 *
 * <ul>
 *   <li>nobody is admitted while as many are inside as may be, and nobody overtakes;
 *   <li>a place that is handed over is never free in between, so a barger cannot take it;
 *   <li>who gives up, because time is over or it was interrupted, has either left the line, and
 *       nobody counted it, or finds that it was admitted a moment before, and then it <em>is</em>
 *       inside and has to leave like everybody else. There is no third case, so no place is lost;
 *   <li>a lower limit drives nobody out: {@code inside} may be above {@code limit} until enough
 *       have left, and until then nobody enters. 0 is no special case.
 * </ul>
 *
 * <p>A bare {@link java.util.concurrent.Semaphore} could count as well. It could not let someone
 * wait without a thread, say exactly how many wait, or refuse the next.
 */
final class Gate {
  static final long FOREVER = Long.MAX_VALUE;

  private final ReentrantLock lock = new ReentrantLock();
  private final Set<Waiter> line = new LinkedHashSet<>();
  private final int maxWaiting;
  private int limit;
  private int inside;

  /** Somebody in the line. */
  abstract static class Waiter {
    private volatile boolean admitted;

    /**
     * Is told, outside the lock, that it is inside. It throws nothing: who calls it is somebody
     * else, who left. False if it cannot begin; then its place is given to the next.
     */
    abstract boolean wake();

    /** Is told that it is outside again, since it could not begin. */
    void turnedBack() {}
  }

  /** A waiter that parks its thread. */
  private static final class Parked extends Waiter {
    private final Thread thread = Thread.currentThread();

    @Override
    boolean wake() {
      LockSupport.unpark(thread);
      return true;
    }
  }

  /** How an attempt to enter ended. */
  enum Entry {
    /** Inside: {@link #leave} must follow. */
    ENTERED,
    /** Joined the line; will be woken. */
    WAITING,
    /** The line is full. */
    FULL,
    /** Time is over. */
    TIMED_OUT
  }

  Gate(int limit, int maxWaiting) {
    this.limit = limit;
    this.maxWaiting = maxWaiting;
  }

  /** Enters if that takes no waiting. */
  boolean tryEnter() {
    lock.lock();
    try {
      if (inside < limit && line.isEmpty()) {
        inside++;
        return true;
      }
      return false;
    } finally {
      lock.unlock();
    }
  }

  /** Enters at once, or joins the line and is woken when it is inside. */
  Entry enterOrJoin(Waiter waiter) {
    lock.lock();
    try {
      if (inside < limit && line.isEmpty()) {
        inside++;
        return Entry.ENTERED;
      }
      if (line.size() >= maxWaiting) {
        return Entry.FULL;
      }
      line.add(waiter);
      return Entry.WAITING;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Enters, and waits for it if need be.
   *
   * @param nanos for how long at most
   * @throws InterruptedException if the thread was interrupted before it was admitted; if that
   *     happens at the same moment, it is inside and stays interrupted
   */
  Entry enter(long nanos) throws InterruptedException {
    long start = System.nanoTime();
    Waiter waiter = new Parked();
    Entry entry = enterOrJoin(waiter);
    if (entry != Entry.WAITING) {
      return entry;
    }
    while (!waiter.admitted) {
      long left = nanos == FOREVER ? FOREVER : nanos - (System.nanoTime() - start);
      if (Thread.interrupted()) {
        if (giveUp(waiter)) {
          throw new InterruptedException();
        }
        Thread.currentThread().interrupt();
        break;
      }
      if (left <= 0) {
        if (giveUp(waiter)) {
          return Entry.TIMED_OUT;
        }
        break;
      }
      LockSupport.parkNanos(this, left);
    }
    return Entry.ENTERED;
  }

  /** Leaves the line. False if the waiter is not in it any more: it was admitted. */
  boolean giveUp(Waiter waiter) {
    lock.lock();
    try {
      return line.remove(waiter);
    } finally {
      lock.unlock();
    }
  }

  /** Leaves; whoever waits longest enters instead. */
  void leave() {
    Waiter next = release();
    if (next != null) {
      wake(List.of(next));
    }
  }

  private Waiter release() {
    lock.lock();
    try {
      inside--;
      return admitNext();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Wakes who was admitted, and whoever is admitted instead of one that cannot begin; in a loop,
   * for there may be thousands. Those hear of it last, when nobody waits for them any more.
   */
  private void wake(List<Waiter> admitted) {
    Deque<Waiter> asleep = new ArrayDeque<>(admitted);
    List<Waiter> unable = new ArrayList<>();
    for (Waiter next = asleep.poll(); next != null; next = asleep.poll()) {
      if (!next.wake()) {
        unable.add(next);
        Waiter instead = release();
        if (instead != null) {
          asleep.add(instead);
        }
      }
    }
    unable.forEach(Waiter::turnedBack);
  }

  /** Changes how many may be inside. */
  void resize(int newLimit) {
    List<Waiter> admitted = new ArrayList<>();
    lock.lock();
    try {
      limit = newLimit;
      for (Waiter next = admitNext(); next != null; next = admitNext()) {
        admitted.add(next);
      }
    } finally {
      lock.unlock();
    }
    wake(admitted);
  }

  private Waiter admitNext() {
    if (inside >= limit || line.isEmpty()) {
      return null;
    }
    Iterator<Waiter> first = line.iterator();
    Waiter next = first.next();
    first.remove();
    inside++;
    next.admitted = true;
    return next;
  }

  int limit() {
    lock.lock();
    try {
      return limit;
    } finally {
      lock.unlock();
    }
  }

  int inside() {
    lock.lock();
    try {
      return inside;
    } finally {
      lock.unlock();
    }
  }

  int waiting() {
    lock.lock();
    try {
      return line.size();
    } finally {
      lock.unlock();
    }
  }
}
