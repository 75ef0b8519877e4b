package dev.sluice.object;

import dev.sluice.object.state.Micros;
import java.time.Duration;
import java.time.Instant;
import java.util.function.LongSupplier;

/**
 * What time it is by the store's clock, told from what the store says with its answers, as two
 * bounds: it is at least so late ({@link #now}) and at most so late ({@link #latest}).
 *
 * <p>Buckets tell the time in whole seconds, cut off. When an answer says 12:00:07, it was 12:00:07
 * or later when the answer came, and earlier than 12:00:08 when the request was sent. Each answer
 * so gives a lower and an upper bound, carried on by this process's monotonic clock, and the
 * tightest count. What another process wrote down as its lower bound is one for everybody.
 *
 * <p>Whatever waits for a moment goes by the lower bound, so it never happens too early; whatever
 * promises something until a moment goes by the upper bound, so nobody takes it away too early. A
 * clock that was set, or drifts against ours, is noticed when the bounds cross; then the newest
 * answer counts alone. Thread-safe.
 */
final class StoreClock {
  private static final long CUT_OFF = Micros.of(Duration.ofSeconds(1));

  private final LongSupplier nanoTime;
  private long low;
  private long high;
  private long grain;
  private boolean known;

  /** A clock that has heard nothing yet, carried on by this monotonic clock. */
  StoreClock(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  /** This process's monotonic clock, in microseconds. */
  long ticks() {
    return nanoTime.getAsLong() / 1_000;
  }

  /**
   * Takes note of what an answer said that came just now.
   *
   * @param sent when its request was sent, in {@link #ticks}
   */
  synchronized void heard(Instant storeTime, long sent) {
    long heard = Micros.of(storeTime);
    boolean cutOff = heard % CUT_OFF == 0;
    grain = known && !cutOff ? 0 : Math.max(grain, cutOff ? CUT_OFF : 0);
    long atLeast = heard - ticks();
    long atMost = Math.max(atLeast, heard + (cutOff ? CUT_OFF : 1) - sent);
    if (!known || atLeast > high || atMost < low) {
      low = atLeast;
      high = atMost;
      known = true;
    } else {
      low = Math.max(low, atLeast);
      high = Math.min(high, atMost);
    }
  }

  /** Takes note of a lower bound that another process has written down. */
  synchronized void isAtLeast(long storeTime) {
    if (known) {
      low = Math.max(low, storeTime - ticks());
      high = Math.max(high, low);
    }
  }

  /** The store's time in microseconds since 1970: it is at least that. */
  synchronized long now() {
    requireKnown();
    return ticks() + low;
  }

  /**
   * The same: it is at most that. On a store that tells whole seconds it is always a second more,
   * so that what was promised later also lasts longer.
   */
  synchronized long latest() {
    requireKnown();
    return ticks() + Math.max(high, low + grain);
  }

  private void requireKnown() {
    if (!known) {
      throw new IllegalStateException("The store has not said yet what time it is.");
    }
  }
}
