package dev.sluice.bench.report;

import java.util.Arrays;
import java.util.List;
import java.util.OptionalDouble;

/**
 * A figure that was measured several times in one run.
 *
 * @param unit what it is counted in: {@code jobs/s}, {@code ms}, {@code MB}
 * @param values one for each round, in order; empty = it cannot be known here
 */
public record Figure(String unit, List<Double> values) {
  public Figure {
    values = List.copyOf(values);
  }

  /** A figure measured once. */
  public static Figure once(String unit, double value) {
    return new Figure(unit, List.of(value));
  }

  /** A figure that may not be known of some rounds, and then is not of the whole. */
  public static Figure ifKnown(String unit, List<OptionalDouble> values) {
    return new Figure(
        unit,
        values.stream().allMatch(OptionalDouble::isPresent)
            ? values.stream().map(OptionalDouble::getAsDouble).toList()
            : List.of());
  }

  /** Whether it is known. */
  public boolean known() {
    return !values.isEmpty();
  }

  /** The middle one; of an even number the mean of the two in the middle; NaN if unknown. */
  public double median() {
    if (!known()) {
      return Double.NaN;
    }
    double[] sorted = values.stream().mapToDouble(Double::doubleValue).toArray();
    Arrays.sort(sorted);
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }

  /** The smallest; NaN if unknown. */
  public double least() {
    return values.stream().mapToDouble(Double::doubleValue).min().orElse(Double.NaN);
  }

  /** The largest; NaN if unknown. */
  public double most() {
    return values.stream().mapToDouble(Double::doubleValue).max().orElse(Double.NaN);
  }
}
