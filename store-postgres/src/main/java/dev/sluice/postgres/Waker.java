package dev.sluice.postgres;

import dev.sluice.SluiceException;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Wakes sleeping workers, from a thread of its own, after the transaction that gave them something
 * to do.
 *
 * <p>Whoever submits or frees a slot only leaves a note here and goes on. While one wake-up is
 * under way the notes of others pile up and become the next one, so a burst of submits becomes a
 * handful of wake-ups; and a wake-up notifies only workers that said they are waiting, so a busy
 * system sends no notification at all.
 */
final class Waker implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Waker.class);

  /** Stands for every task. */
  static final String EVERYONE = "*";

  private static final String WAKE = "SELECT ${schema}.wake(?)";
  private static final String ANYONE_WAITING =
      "SELECT EXISTS (SELECT FROM ${schema}.worker WHERE waiting)";

  private final Database database;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition noted = lock.newCondition();
  private final Set<String> tasks = new HashSet<>();
  private final Thread thread = new Thread(this::run, "sluice-waker");
  private boolean started;
  private boolean closed;

  Waker(Database database) {
    this.database = database;
    thread.setDaemon(true);
  }

  /** There may be something to do for workers that handle one of these tasks (canonical names). */
  void wakeFor(Set<String> canonicalTasks) {
    lock.lock();
    try {
      if (closed) {
        return;
      }
      if (!started) {
        started = true;
        thread.start();
      }
      tasks.addAll(canonicalTasks);
      noted.signal();
    } finally {
      lock.unlock();
    }
  }

  private void run() {
    try {
      for (Set<String> due = take(); !due.isEmpty(); due = take()) {
        wake(due);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** The notes left since the last time, waiting for one; none = closed. */
  private Set<String> take() throws InterruptedException {
    lock.lockInterruptibly();
    try {
      while (tasks.isEmpty() && !closed) {
        noted.await();
      }
      Set<String> due = Set.copyOf(tasks);
      tasks.clear();
      return due;
    } finally {
      lock.unlock();
    }
  }

  private void wake(Set<String> due) {
    try {
      if (database.list(ANYONE_WAITING, row -> row.getBoolean(1)).get(0)) {
        database.call(
            connection ->
                database.list(
                    connection,
                    WAKE,
                    row -> true,
                    connection.createArrayOf("text", due.toArray())));
      }
    } catch (SluiceException e) {
      // Sleepers poll; all that is lost is some latency.
      log.debug("Waking workers failed; they find their work by polling.", e);
    }
  }

  /** Sends what was noted before and ends. */
  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      noted.signal();
    } finally {
      lock.unlock();
    }
    try {
      thread.join(5_000);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
