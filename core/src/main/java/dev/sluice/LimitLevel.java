package dev.sluice;

import java.util.Locale;

/** Who set a limit, strongest first: the strongest that is set holds. */
public enum LimitLevel {
  /** An operator, by {@code setLimit} or the command line. */
  OPERATOR,
  /** A configuration file. */
  CONFIG,
  /** A task's declaration; the lowest among live workers. */
  CODE,
  /** A submit; only where nothing else was there. */
  SUBMIT;

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
