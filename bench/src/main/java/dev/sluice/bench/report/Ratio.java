package dev.sluice.bench.report;

import java.util.Optional;

/**
 * One subject against another, round by round of the same run, so that what disturbs the machine
 * disturbs both.
 *
 * @param name what is compared: {@code all tasks at limit 10 vs baseline}
 * @param value the quotient of each round
 * @param goal what it is meant to reach; empty = it is only told
 */
public record Ratio(String name, Figure value, Optional<Goal> goal) {
  /**
   * A bound on a figure.
   *
   * @param must what it has to reach
   * @param aim what would be excellent
   * @param atMost whether the figure has to stay below, instead of above
   */
  public record Goal(double must, double aim, boolean atMost) {
    /** At least this much. */
    public static Goal atLeast(double must, double aim) {
      return new Goal(must, aim, false);
    }

    /** At most this much. */
    public static Goal atMost(double must, double aim) {
      return new Goal(must, aim, true);
    }

    /** Whether this value reaches {@link #must}. */
    public boolean reached(double value) {
      return atMost ? value <= must : value >= must;
    }

    /** Whether this value reaches {@link #aim}. */
    public boolean excelled(double value) {
      return atMost ? value <= aim : value >= aim;
    }

    /** A bound as people read it: {@code ≥ 0.80}. */
    String bound(double value) {
      return (atMost ? "≤ " : "≥ ") + Digits.ratio(value);
    }
  }
}
