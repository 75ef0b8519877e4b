package dev.sluice.object;

/**
 * When a lease ends, by the clock of the worker that has it. Thread-safe.
 *
 * <p><b>Being over is final.</b> A lease that was found to be over stays over, even if a renewal
 * that was under way meanwhile succeeds: what found it over may have given the worker up by then.
 * Looking and extending exclude each other, so of a renewal and a look that meet, either the look
 * sees the new end or the renewal learns that it came too late.
 */
final class LeaseEnd {
  private long at;
  private boolean over;

  /** A lease that ends at this time if it is not extended. */
  LeaseEnd(long at) {
    this.at = at;
  }

  /** Whether it is over at this time; if so, then for good. */
  synchronized boolean isOver(long now) {
    over |= now - at >= 0;
    return over;
  }

  /** Makes it last until then, or longer if it does already; false if it was found to be over. */
  synchronized boolean extend(long until) {
    if (!over && until - at > 0) {
      at = until;
    }
    return !over;
  }

  /** How long it lasts from now on; below zero if it has run out. */
  synchronized long left(long now) {
    return at - now;
  }
}
