package dev.sluice.server.web;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.io.Connection;

/**
 * Hangs up on those who take forever to say what they want. A connection that sends its request
 * byte by byte is never idle, and holds no thread; but connections are counted, and enough of them
 * would keep everybody else out.
 */
final class SlowClients implements Connection.Listener, AutoCloseable {
  private static final Duration LOOK = Duration.ofSeconds(1);

  /** What a connection had sent when its latest request was complete, and since when. */
  private static final class Progress {
    long requests;
    long bytes;
    long begunAt = -1;
  }

  private final Duration patience;
  private final Map<Connection, Progress> connections = new ConcurrentHashMap<>();
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread thread = new Thread(task, "sluice-server-slow-clients");
            thread.setDaemon(true);
            return thread;
          });

  SlowClients(Duration patience) {
    this.patience = patience;
    timer.scheduleWithFixedDelay(
        this::look, LOOK.toMillis(), LOOK.toMillis(), TimeUnit.MILLISECONDS);
  }

  @Override
  public void onOpened(Connection connection) {
    connections.put(connection, new Progress());
  }

  @Override
  public void onClosed(Connection connection) {
    connections.remove(connection);
  }

  private void look() {
    long now = System.nanoTime();
    connections.forEach((connection, progress) -> look(connection, progress, now));
  }

  private void look(Connection connection, Progress progress, long now) {
    long requests = connection.getMessagesIn();
    long bytes = connection.getBytesIn();
    boolean answering = requests > connection.getMessagesOut();
    if (answering || requests != progress.requests || bytes == progress.bytes) {
      progress.requests = requests;
      progress.bytes = bytes;
      progress.begunAt = -1;
    } else if (progress.begunAt < 0) {
      // The bytes stay as they were: from now on there are more of them than that.
      progress.begunAt = now;
    } else if (now - progress.begunAt > patience.toNanos()) {
      connection.getEndPoint().close();
    }
  }

  @Override
  public void close() {
    timer.shutdownNow();
  }
}
