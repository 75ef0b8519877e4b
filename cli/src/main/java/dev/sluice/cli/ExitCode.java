package dev.sluice.cli;

/**
 * What the exit codes of the {@code sluice} command mean; the larger ones are those of sysexits.h.
 */
final class ExitCode {
  static final int OK = 0;

  /** The command worked, and the answer is no: a job failed, a submit was rejected. */
  static final int NEGATIVE = 1;

  static final int USAGE = 2;
  static final int UNAVAILABLE = 69;
  static final int INTERNAL = 70;

  private ExitCode() {}
}
