package dev.sluice.spi;

import dev.sluice.Group;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The workers on record. */
public interface WorkerStore {
  /**
   * A worker that has signed on, and has not signed off or been given up for dead.
   *
   * @param id its id, unique to the session
   * @param registration what it said when it signed on
   * @param startedAt when that was, by the store's clock
   * @param expiresAt until when its lease lasts unless renewed; may have passed. On a store whose
   *     leases only their readers time, an estimate
   * @param readAt when it was read, by the same clock: the one to compare {@code expiresAt} with
   * @param bulletin what it {@linkplain WorkerSession#publish published} last
   */
  record StoredWorker(
      String id,
      WorkerRegistration registration,
      Instant startedAt,
      Instant expiresAt,
      Instant readAt,
      Optional<String> bulletin) {
    /** For operators. */
    public String name() {
      return registration.name();
    }

    /** The queues it serves. */
    public Set<String> queues() {
      return registration.queues();
    }

    /** The tasks it has handlers for. */
    public Set<String> tasks() {
      return registration.tasks();
    }

    /** What its tasks declare in code. */
    public Map<Group, Integer> limits() {
      return registration.limits();
    }

    /** How long it may be silent. */
    public Duration lease() {
      return registration.lease();
    }
  }

  /** Every worker, longest signed on first. */
  List<StoredWorker> list();
}
