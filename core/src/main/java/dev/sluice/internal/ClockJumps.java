package dev.sluice.internal;

/**
 * Notices, for one observer, that the machine was suspended or that its wall clock was set. Either
 * is a reason to ask the store at once whether a lease still holds, and to decide nothing by it: a
 * wall clock may be set at any time, and only where the time since boot is unknown is its jump the
 * one sign of a suspension. Not thread-safe.
 */
final class ClockJumps {
  private static final long NOTICEABLE_MS = 1_000;

  private final ElapsedClock clock;
  private long suspended;
  private long wallAhead;

  ClockJumps(ElapsedClock clock) {
    this.clock = clock;
    this.suspended = clock.suspendedNanos();
    this.wallAhead = wallAhead();
  }

  private long wallAhead() {
    return clock.wallMillis() - clock.nanos() / 1_000_000;
  }

  /** Looks at the clocks; whether one has jumped since the last time. */
  boolean look() {
    clock.look();
    long nowSuspended = clock.suspendedNanos();
    long nowAhead = wallAhead();
    boolean jumped = nowSuspended != suspended || Math.abs(nowAhead - wallAhead) >= NOTICEABLE_MS;
    suspended = nowSuspended;
    if (jumped) {
      wallAhead = nowAhead;
    }
    return jumped;
  }
}
