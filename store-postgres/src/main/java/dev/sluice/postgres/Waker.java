package dev.sluice.postgres;

import dev.sluice.SluiceException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Wakes sleeping workers, from a thread of its own, after the transaction that gave them something
 * to do. A single job wakes its worker with its own commit where one is seen waiting ({@link
 * JobWriter}); this is for all other news, and for the job that found no worker waiting.
 *
 * <p>A submit or a freed slot only leaves a note here. While one wake-up is under way the notes of
 * others pile up and become the next one, so a burst of submits becomes a handful of wake-ups; and
 * a wake-up notifies only workers that said they are waiting, so a busy system sends no
 * notification at all. A single job wakes a single worker: that it may die at that very moment
 * costs the job a polling interval, and no other worker is woken for nothing.
 */
final class Waker implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Waker.class);

  /** As many workers as there are. */
  static final int ALL = Integer.MAX_VALUE;

  /** Stands for every task, and every queue. */
  static final String ANY = "*";

  /**
   * Something workers may be waiting for.
   *
   * @param task the task whose jobs it concerns, by its canonical name
   * @param queue the queue they are in
   */
  record News(String task, String queue) {
    static final News FOR_EVERYONE = new News(ANY, ANY);

    static News ofTask(String canonicalTask) {
      return new News(canonicalTask, ANY);
    }
  }

  private static final String WAKE = "SELECT ${schema}.wake(?, ?, ?)";
  private static final String ANYONE_WAITING =
      "SELECT EXISTS (SELECT FROM ${schema}.worker WHERE waiting_for IS NOT NULL)";

  private final Database database;
  private final Thread thread = new Thread(this::run, "sluice-waker");

  // Guarded by this.
  private final Map<News, Integer> news = new HashMap<>();
  private boolean started;
  private boolean closed;

  Waker(Database database) {
    this.database = database;
    thread.setDaemon(true);
  }

  /** There may be something to do for all workers. */
  void wakeAll() {
    wakeFor(Map.of(News.FOR_EVERYONE, ALL));
  }

  /** There may be something to do, for at most so many workers. */
  synchronized void wakeFor(Map<News, Integer> workers) {
    if (closed) {
      return;
    }
    if (!started) {
      started = true;
      thread.start();
    }
    workers.forEach((one, count) -> news.merge(one, count, Waker::plus));
    notifyAll();
  }

  private void run() {
    try {
      for (Map<News, Integer> due = take(); !due.isEmpty(); due = take()) {
        wake(due);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** The notes left since the last time, waiting for one; none = closed. */
  private synchronized Map<News, Integer> take() throws InterruptedException {
    while (news.isEmpty() && !closed) {
      wait();
    }
    Map<News, Integer> due = Map.copyOf(news);
    news.clear();
    return due;
  }

  static int plus(int workers, int others) {
    return workers > ALL - others ? ALL : workers + others;
  }

  private void wake(Map<News, Integer> due) {
    List<News> kinds = List.copyOf(due.keySet());
    try {
      if (database.one(ANYONE_WAITING, row -> row.getBoolean(1))) {
        database.run(
            WAKE,
            SqlArray.TEXT.of(kinds, News::task),
            SqlArray.TEXT.of(kinds, News::queue),
            SqlArray.INT4.of(kinds, due::get));
      }
    } catch (SluiceException e) {
      // Sleepers poll; all that is lost is some latency.
      log.debug("Waking workers failed; they find their work by polling.", e);
    }
  }

  /** Sends what was noted before and ends. */
  @Override
  public void close() {
    synchronized (this) {
      closed = true;
      notifyAll();
    }
    try {
      thread.join(5_000);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
