package dev.sluice.schedule;

import java.util.Locale;

/** What becomes of an occurrence that is due while the job of the one before has not finished. */
public enum Overlap {
  /**
   * It waits: the schedule's group has a limit of 1; the default. Every occurrence gets its job, so
   * one whose jobs take longer than the time between them falls behind further and further.
   */
  WAIT,
  /** It is left out. */
  SKIP,
  /** It runs beside the other; the schedule's group does not count its jobs. */
  ALLOW;

  /** As it is written in files, on the command line and in JSON: {@code wait}, {@code skip}. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
