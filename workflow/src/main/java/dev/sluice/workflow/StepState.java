package dev.sluice.workflow;

import java.util.Locale;

/** Where a step of a run is. */
public enum StepState {
  /** Not started. */
  PENDING,
  /** Started: its job is submitted, or it waits for a timer, a signal or another run. */
  RUNNING,
  /** Done. */
  SUCCEEDED,
  /** Given up. */
  FAILED,
  /** Never started, because the run failed before. */
  SKIPPED,
  /** Called off. */
  CANCELLED;

  /** Whether it has ended. */
  public boolean finished() {
    return this != PENDING && this != RUNNING;
  }

  /** The word used on the command line and in JSON. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
