package dev.sluice.server.view;

import dev.sluice.Queues.QueueInfo;
import java.time.Duration;
import java.time.Instant;

/** A queue. */
public record QueueView(
    String name,
    boolean paused,
    long ready,
    long running,
    long scheduled,
    @Maybe Instant oldestDue,
    @Maybe Double oldestAgeSeconds) {
  /** A queue as it is now. */
  public static QueueView of(QueueInfo queue, Instant now) {
    return new QueueView(
        queue.name(),
        queue.paused(),
        queue.ready(),
        queue.running(),
        queue.scheduled(),
        queue.oldestDue().orElse(null),
        queue
            .oldestDue()
            .map(due -> Math.max(0, ViewJson.seconds(Duration.between(due, now))))
            .orElse(null));
  }

  /** A queue of which nothing is on record. */
  public static QueueView empty(String name) {
    return new QueueView(name, false, 0, 0, 0, null, null);
  }
}
