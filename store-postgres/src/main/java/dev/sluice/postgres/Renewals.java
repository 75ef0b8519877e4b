package dev.sluice.postgres;

import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * What one worker's renewals ask for. Each asks for the lease, or for what is left of a longer
 * promise, whichever is more; the server lets the lease end that long after the renewal arrives. So
 * a lease never reaches further than was asked for, even after the server's clock was set back, and
 * a promise is kept by every renewal that follows it.
 *
 * <p>Renewals are numbered in the order in which they are worked out. Each covers what the earlier
 * ones asked for, so the server drops one that another has overtaken. Thread-safe.
 */
final class Renewals {
  private final Duration lease;
  private final LongSupplier nanos;
  private long number;
  private long promised;

  Renewals(Duration lease, LongSupplier nanos) {
    this.lease = lease;
    this.nanos = nanos;
    this.promised = nanos.getAsLong();
  }

  /**
   * One renewal.
   *
   * @param number above those of all earlier ones
   * @param millis how long after its arrival the lease is to end
   */
  record Renewal(long number, long millis) {}

  /** The next renewal, for at least this long. */
  synchronized Renewal next(Duration atLeast) {
    long now = nanos.getAsLong();
    long wanted = (atLeast.compareTo(lease) > 0 ? atLeast : lease).toNanos();
    if (now + wanted - promised > 0) {
      promised = now + wanted;
    }
    return new Renewal(++number, (promised - now + 999_999) / 1_000_000);
  }
}
