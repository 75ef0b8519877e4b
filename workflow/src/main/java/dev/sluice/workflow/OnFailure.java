package dev.sluice.workflow;

import java.util.Locale;

/** What becomes of a run when one of its steps has failed for good. */
public enum OnFailure {
  /** What is in flight is called off, and the run fails. */
  FAIL_WORKFLOW,
  /** Nothing more starts until the run is resumed, which tries the step again. */
  PAUSE_WORKFLOW,
  /** The run goes on as if the step had ended without a result. */
  CONTINUE,
  /** What is in flight ends, then what was done is undone, latest first, and the run fails. */
  COMPENSATE;

  /** The word used in JSON. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
