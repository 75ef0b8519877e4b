package dev.sluice;

/** What a submit does when a limited group of the job has no room. */
public enum OnLimit {
  /** The job is stored and starts when there is room; the default. */
  WAIT,
  /**
   * The job is refused when as many as the limit are pending (due and not finished) or running
   * already.
   */
  REJECT
}
