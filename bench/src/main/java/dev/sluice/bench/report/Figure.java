package dev.sluice.bench.report;

import java.util.Arrays;
import java.util.List;

/**
 * A figure that was measured several times in one run.
 *
 * @param unit what it is counted in: {@code jobs/s}, {@code ms}, {@code MB}
 * @param values one for each round, in order; never empty
 */
public record Figure(String unit, List<Double> values) {
  public Figure {
    if (values.isEmpty()) {
      throw new IllegalArgumentException("a figure nobody measured");
    }
    values = List.copyOf(values);
  }

  /** A figure measured once. */
  public static Figure once(String unit, double value) {
    return new Figure(unit, List.of(value));
  }

  /** The middle one; of an even number the mean of the two in the middle. */
  public double median() {
    double[] sorted = values.stream().mapToDouble(Double::doubleValue).toArray();
    Arrays.sort(sorted);
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }

  /** The smallest. */
  public double least() {
    return values.stream().mapToDouble(Double::doubleValue).min().orElseThrow();
  }

  /** The largest. */
  public double most() {
    return values.stream().mapToDouble(Double::doubleValue).max().orElseThrow();
  }
}
