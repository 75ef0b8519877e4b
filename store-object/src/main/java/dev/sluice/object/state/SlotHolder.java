package dev.sluice.object.state;

import java.util.Optional;
import java.util.UUID;

/**
 * Who holds a slot: a worker, as long as its lease lasts, or a permit.
 *
 * @param worker the worker's id, or the process that has the permit
 * @param permit the permit's holder and its end; null if a worker holds the slot
 * @param token the token of the commit that took it
 * @param acquiredAt since when
 * @param job the started job that runs in it, see {@link SlotJobs}; null if there is none
 */
public record SlotHolder(String worker, Permit permit, long token, long acquiredAt, UUID job) {
  /** A worker's slot in which no job has started yet, or a permit's. */
  SlotHolder(String worker, Permit permit, long token, long acquiredAt) {
    this(worker, permit, token, acquiredAt, null);
  }

  SlotHolder with(UUID started) {
    return new SlotHolder(worker, permit, token, acquiredAt, started);
  }

  /**
   * A permit.
   *
   * @param holder who asked for it
   * @param expiresAt until when it lasts
   */
  public record Permit(String holder, long expiresAt) {}

  /** The id of the started job that runs in it, or the permit's holder. */
  public Optional<String> holder() {
    return permit != null
        ? Optional.of(permit.holder)
        : Optional.ofNullable(job).map(UUID::toString);
  }

  /** Whether it is a permit whose time is over. */
  public boolean hasExpired(long now) {
    return permit != null && permit.expiresAt <= now;
  }

  /** Whether this worker holds it for its jobs. */
  public boolean isOf(String workerId) {
    return permit == null && worker.equals(workerId);
  }
}
