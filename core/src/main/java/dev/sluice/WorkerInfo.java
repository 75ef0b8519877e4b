package dev.sluice;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;

/**
 * A worker as an operator sees it.
 *
 * @param id its id; a worker that lost its lease goes on under another
 * @param name its name: host and process unless it was given one
 * @param queues the queues it serves
 * @param tasks the tasks it has handlers for
 * @param lease since when and until when it is signed on
 * @param bulletin what it last said about itself, some seconds old at most while it is well
 */
public record WorkerInfo(
    String id,
    String name,
    Set<String> queues,
    Set<String> tasks,
    Lease lease,
    Optional<WorkerBulletin> bulletin) {
  /**
   * A worker's lease, by the store's clock.
   *
   * @param startedAt when it signed on
   * @param expiresAt until when the lease lasts unless renewed
   * @param readAt when this was read
   * @param length how long the worker may be silent
   */
  public record Lease(Instant startedAt, Instant expiresAt, Instant readAt, Duration length) {
    /** Whether the lease lasted when it was read; the clock of this program has no say in it. */
    public boolean alive() {
      return expiresAt.isAfter(readAt);
    }
  }
}
