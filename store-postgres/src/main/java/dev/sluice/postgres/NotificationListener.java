package dev.sluice.postgres;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps one connection while this process has workers: it listens there for their wake-ups, and
 * runs there what must not wait until a connection is free.
 *
 * <p><b>Wake-ups.</b> A notification names a worker, or is {@code rules} or {@code all} for
 * everyone. After the connection was lost and is there again, every worker is woken once: whatever
 * was missed in between is found by looking. Where LISTEN is not to be had (a pooler in transaction
 * mode, a pool too small to keep a connection of, a data source that hides the driver), workers
 * poll.
 *
 * <p><b>Renewals.</b> A lease that cannot be renewed is lost, with every job under it, and the
 * connections of calls may all be taken for longer than that: by submits, by chores, by the
 * application whose pool it is. So {@link #urgently} hands its work to the thread that listens,
 * which does it on the kept connection between two waits of {@value #WAIT_MS} ms; of 1 ms after
 * such work, since more of it tends to follow: permits are renewed one after the other. While there
 * is no such connection, or it does not answer within {@value #LONGEST_WAIT_MS} ms, the work goes
 * the way of all calls; it may then happen twice, so it must be idempotent.
 *
 * <p>A connection that is given back no longer listens, and no notification is left in it.
 */
final class NotificationListener implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(NotificationListener.class);
  private static final int WAIT_MS = 25;
  private static final int SHORT_WAITS = 10;
  private static final int LONGEST_WAIT_MS = 1_000;
  private static final int LONGEST_CLOSE_MS = 5_000;

  private final Database database;
  private final Map<String, Runnable> wakes = new ConcurrentHashMap<>();
  private volatile boolean closed;

  /** Calls are added under the lock of this, and only while the thread listens. */
  private final Queue<UrgentCall<?>> urgentCalls = new ConcurrentLinkedQueue<>();

  // Guarded by this.
  private Thread thread;
  private boolean listening;
  private boolean cannotListen;

  NotificationListener(Database database) {
    this.database = database;
    this.cannotListen = !database.canKeep();
  }

  synchronized void add(String workerId, Runnable wake) {
    wakes.put(workerId, wake);
    if (thread == null && !cannotListen && !closed) {
      thread = new Thread(this::run, "sluice-listener");
      thread.setDaemon(true);
      thread.start();
    }
  }

  /** After the last worker has gone, the connection goes back. */
  synchronized void remove(String workerId) {
    wakes.remove(workerId);
  }

  /** Does this on the kept connection, or like any call where there is none. */
  <R> R urgently(Database.Work<R> work) {
    UrgentCall<R> call = new UrgentCall<>(work, new CompletableFuture<>());
    synchronized (this) {
      if (listening) {
        urgentCalls.add(call);
      } else {
        call.answer.cancel(false);
      }
    }
    return call.await().orElseGet(() -> database.call(work));
  }

  private synchronized boolean isWanted() {
    return !closed && !cannotListen && !wakes.isEmpty();
  }

  /** Ends the thread unless a worker came in the meantime. */
  private synchronized boolean isOver() {
    if (isWanted()) {
      return false;
    }
    thread = null;
    return true;
  }

  private void run() {
    boolean reported = false;
    while (!isOver()) {
      try {
        database.onKeptConnection(this::listen);
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
    if (!connection.isWrapperFor(PGConnection.class)) {
      log.warn(
          "The connections of the given data source hide those of the PostgreSQL driver; workers poll.");
      synchronized (this) {
        cannotListen = true;
      }
      return null;
    }
    PGConnection notifications = connection.unwrap(PGConnection.class);
    String channel = "sluice_" + database.schema();
    database.execute(connection, "LISTEN " + channel);
    listening(true);
    try {
      wakes.values().forEach(Runnable::run);
      int shortWaits = 0;
      while (isWanted()) {
        PGNotification[] received = notifications.getNotifications(shortWaits > 0 ? 1 : WAIT_MS);
        if (received != null) {
          for (PGNotification notification : received) {
            dispatch(notification.getParameter());
          }
        }
        shortWaits = runUrgentCalls(connection) ? SHORT_WAITS : Math.max(0, shortWaits - 1);
      }
    } finally {
      listening(false);
      unlisten(connection, notifications, channel);
    }
    return null;
  }

  /** So that the next use of the connection finds nothing of this; or it is not used again. */
  private void unlisten(Connection connection, PGConnection notifications, String channel)
      throws SQLException {
    try {
      database.execute(connection, "UNLISTEN " + channel);
      notifications.getNotifications();
    } catch (SQLException e) {
      log.debug("The listening connection is broken; it is closed.", e);
      if (notifications instanceof Connection real) {
        real.close();
      }
    }
  }

  /** Whether there were any. */
  private boolean runUrgentCalls(Connection connection) {
    boolean ran = false;
    for (UrgentCall<?> call = urgentCalls.poll(); call != null; call = urgentCalls.poll()) {
      call.run(connection);
      ran = true;
    }
    return ran;
  }

  private synchronized void listening(boolean now) {
    listening = now;
    if (!now) {
      urgentCalls.forEach(call -> call.answer.cancel(false));
      urgentCalls.clear();
    }
  }

  private void dispatch(String parameter) {
    if (parameter.equals("rules") || parameter.equals("all")) {
      wakes.values().forEach(Runnable::run);
    } else {
      wakes.getOrDefault(parameter, () -> {}).run();
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
        running.join(LONGEST_CLOSE_MS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Work for the kept connection; cancelled if it is not to be done there. */
  private record UrgentCall<R>(Database.Work<R> work, CompletableFuture<Optional<R>> answer) {
    void run(Connection connection) {
      if (answer.isDone()) {
        return;
      }
      try {
        answer.complete(Optional.of(work.on(connection)));
      } catch (SQLException e) {
        log.debug("A call on the listening connection failed; it goes another way.", e);
        answer.cancel(false);
      } catch (RuntimeException | Error e) {
        answer.completeExceptionally(e);
      }
    }

    /** What the work answered; empty if it has to be done elsewhere. */
    Optional<R> await() {
      try {
        return answer.get(LONGEST_WAIT_MS, TimeUnit.MILLISECONDS);
      } catch (ExecutionException e) {
        if (e.getCause() instanceof RuntimeException thrown) {
          throw thrown;
        }
        throw new IllegalStateException(e.getCause());
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return Optional.empty();
      } catch (TimeoutException | java.util.concurrent.CancellationException e) {
        answer.cancel(false);
        return Optional.empty();
      }
    }
  }
}
