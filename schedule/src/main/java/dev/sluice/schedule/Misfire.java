package dev.sluice.schedule;

import java.util.Locale;

/**
 * What becomes of occurrences nobody was there to submit: every scheduler was down, or the schedule
 * was paused. One that is no more than {@link ScheduleSpec#GRACE} late was not missed.
 */
public enum Misfire {
  /**
   * One job, for the latest of those that were missed; the default. Schedulers that find them at
   * the same time, one before and one after a further occurrence comes due, may each submit what is
   * the latest to them: one job each at most, for different occurrences.
   */
  RUN_ONCE,
  /** None; it goes on with the next. */
  SKIP;

  /** As it is written in files, on the command line and in JSON: {@code run_once}, {@code skip}. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
