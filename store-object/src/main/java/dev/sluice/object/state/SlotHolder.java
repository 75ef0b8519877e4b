package dev.sluice.object.state;

/**
 * Who holds a slot: a worker, as long as its lease lasts, or a permit.
 *
 * @param worker the worker's id, or the process that has the permit
 * @param permit the permit's holder and its end; null if a worker holds the slot
 * @param token the version of the commit that took it
 * @param acquiredAt since when
 */
public record SlotHolder(String worker, Permit permit, long token, long acquiredAt) {
  /**
   * A permit.
   *
   * @param holder who asked for it
   * @param expiresAt until when it lasts
   */
  public record Permit(String holder, long expiresAt) {}

  /** Whether it is a permit whose time is over. */
  public boolean hasExpired(long now) {
    return permit != null && permit.expiresAt <= now;
  }

  /** Whether this worker holds it for its jobs. */
  public boolean isOf(String workerId) {
    return permit == null && worker.equals(workerId);
  }
}
