package dev.sluice.postgres;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Listens on one connection of its own for wake-ups of this process's workers.
 *
 * <p>A notification names a worker, or is {@code rules} or {@code all} for everyone. After the
 * connection was lost and is there again, every worker is woken once: whatever was missed in
 * between is found by looking. Where LISTEN is not to be had (a pooler in transaction mode),
 * workers poll.
 */
final class NotificationListener implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(NotificationListener.class);
  private static final int WAIT_MS = 500;

  private final Database database;
  private final Map<String, Runnable> wakes = new ConcurrentHashMap<>();
  private volatile boolean closed;
  private Thread thread;

  NotificationListener(Database database) {
    this.database = database;
  }

  synchronized void add(String workerId, Runnable wake) {
    wakes.put(workerId, wake);
    if (thread == null) {
      thread = new Thread(this::run, "sluice-listener");
      thread.setDaemon(true);
      thread.start();
    }
  }

  void remove(String workerId) {
    wakes.remove(workerId);
  }

  private void run() {
    boolean reported = false;
    while (!closed) {
      try {
        database.call(this::listen);
        reported = false;
      } catch (RuntimeException e) {
        if (!reported && !closed) {
          log.warn(
              "Listening for wake-ups was interrupted; workers poll until it is back: {}",
              e.getMessage());
          reported = true;
        }
        pause();
      }
    }
  }

  private Void listen(Connection connection) throws SQLException {
    PGConnection notifications = connection.unwrap(PGConnection.class);
    try (Statement statement = connection.createStatement()) {
      statement.execute("LISTEN sluice_" + database.schema());
    }
    wakes.values().forEach(Runnable::run);
    try {
      while (!closed) {
        PGNotification[] received = notifications.getNotifications(WAIT_MS);
        if (received != null) {
          for (PGNotification notification : received) {
            dispatch(notification.getParameter());
          }
        }
      }
    } finally {
      // Broken or still listening: either way it is of no use to others.
      database.evict(connection);
    }
    return null;
  }

  private void dispatch(String parameter) {
    if (parameter.equals("rules") || parameter.equals("all")) {
      wakes.values().forEach(Runnable::run);
    } else {
      Runnable wake = wakes.get(parameter);
      if (wake != null) {
        wake.run();
      }
    }
  }

  private void pause() {
    try {
      Thread.sleep(200 + ThreadLocalRandom.current().nextInt(200));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      closed = true;
    }
  }

  @Override
  public void close() {
    closed = true;
    Thread running;
    synchronized (this) {
      running = thread;
    }
    if (running != null) {
      try {
        running.join(2 * WAIT_MS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
