package dev.sluice.workflow;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/**
 * Where a run is. The transitions below are all there are:
 *
 * <pre>
 *   pending ──▶ running ◀──▶ waiting_signal          retry
 *                 │  ▲            │            ┌───────────── failed, cancelled
 *                 ▼  │ resume     ▼            ▼
 *               paused ◀──────────┴─────── running
 *
 *   pending, running, waiting_signal, paused ──▶ compensating ──▶ failed
 *   pending, running, waiting_signal ──▶ succeeded
 *   pending, running, waiting_signal, paused ──▶ failed, cancelled
 * </pre>
 */
public enum RunState {
  /** Created; no tick has looked at it yet. */
  PENDING,
  /** Steps are in flight or about to start. */
  RUNNING,
  /** Nothing but a signal moves it on. */
  WAITING_SIGNAL,
  /** A step failed, and what was done is being undone. */
  COMPENSATING,
  /** Nothing starts until it is resumed. */
  PAUSED,
  /** Every step has ended. */
  SUCCEEDED,
  /** A step failed, and that was the end. */
  FAILED,
  /** Called off. */
  CANCELLED;

  /** All but those that have ended. */
  public static final Set<RunState> LIVE =
      Collections.unmodifiableSet(EnumSet.complementOf(EnumSet.of(SUCCEEDED, FAILED, CANCELLED)));

  /** Whether it has ended (and only a retry by hand moves it on). */
  public boolean finished() {
    return !LIVE.contains(this);
  }

  /** The states that may follow this one. */
  public Set<RunState> followers() {
    return switch (this) {
      case PENDING ->
          EnumSet.of(RUNNING, WAITING_SIGNAL, COMPENSATING, PAUSED, SUCCEEDED, FAILED, CANCELLED);
      case RUNNING ->
          EnumSet.of(WAITING_SIGNAL, COMPENSATING, PAUSED, SUCCEEDED, FAILED, CANCELLED);
      case WAITING_SIGNAL ->
          EnumSet.of(RUNNING, COMPENSATING, PAUSED, SUCCEEDED, FAILED, CANCELLED);
      case COMPENSATING -> EnumSet.of(FAILED);
      case PAUSED -> EnumSet.of(RUNNING, WAITING_SIGNAL, COMPENSATING, FAILED, CANCELLED);
      case FAILED, CANCELLED -> EnumSet.of(RUNNING);
      case SUCCEEDED -> EnumSet.noneOf(RunState.class);
    };
  }

  /**
   * The next state, if it may follow this one; a state follows itself.
   *
   * @throws IllegalStateException if it may not
   */
  public RunState to(RunState next) {
    if (next != this && !followers().contains(next)) {
      throw new IllegalStateException("A run that is " + this + " cannot become " + next + ".");
    }
    return next;
  }

  /** The word used in columns, on the command line and in JSON. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
