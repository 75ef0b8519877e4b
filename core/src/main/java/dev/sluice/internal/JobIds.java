package dev.sluice.internal;

import java.security.SecureRandom;
import java.util.UUID;

/**
 * Makes ids that sort by the time they were made (UUID version 7): 48 bits of milliseconds, then a
 * counter that keeps ids of one process in order within a millisecond, then random bits. Nothing
 * but the order of neighbours depends on the clock.
 */
public final class JobIds {
  private static final SecureRandom RANDOM = new SecureRandom();
  private static long last;

  private JobIds() {}

  public static UUID next() {
    return new UUID(
        nextHigh(), (RANDOM.nextLong() & 0x3fff_ffff_ffff_ffffL) | 0x8000_0000_0000_0000L);
  }

  /**
   * Milliseconds and a 12-bit counter as one number that only grows; a full counter borrows from
   * the next millisecond.
   */
  private static synchronized long nextHigh() {
    last = Math.max(last + 1, System.currentTimeMillis() << 12);
    return (last >>> 12 << 16) | 0x7000L | (last & 0xfff);
  }
}
