package dev.sluice.chart;

import java.util.ArrayList;
import java.util.List;
import java.util.function.DoubleUnaryOperator;

/**
 * Where values lie between the two ends of an axis, and which of them are marked. The marks are 1,
 * 2 or 5 times a power of ten.
 */
public final class Axis {
  private static final double MARKS = 5;
  private static final double MOST_DECADES_WITH_STEPS = 2;
  private static final double HAIR = 1e-9;
  private static final double[] STEPS = {1, 2, 5, 10};

  private final double first;
  private final double last;
  private final DoubleUnaryOperator scale;
  private final List<Double> marks;

  private Axis(double first, double last, DoubleUnaryOperator scale, List<Double> marks) {
    this.first = first;
    this.last = last;
    this.scale = scale;
    this.marks = marks;
  }

  /** From zero to at least {@code most}. */
  public static Axis linear(double most) {
    double end = most > 0 ? most : 1;
    double step = stepFrom(end / MARKS);
    List<Double> marks = new ArrayList<>();
    int count = (int) Math.ceil(end / step - HAIR);
    for (int i = 0; i <= count; i++) {
      marks.add(i * step);
    }
    return new Axis(0, count * step, value -> value, marks);
  }

  /** By powers of ten, around these two; both are greater than zero. */
  public static Axis log(double least, double most) {
    double first = stepUpTo(least);
    double last = stepFrom(most);
    if (last <= first) {
      last = stepFrom(first * 2);
    }
    boolean steps = Math.log10(last / first) <= MOST_DECADES_WITH_STEPS + HAIR;
    List<Double> marks = new ArrayList<>();
    for (double mark = first; mark <= last * (1 + HAIR); mark = stepFrom(mark * (1 + 2 * HAIR))) {
      if (steps || isPowerOfTen(mark)) {
        marks.add(mark);
      }
    }
    return new Axis(first, last, Math::log10, marks);
  }

  /** Where a value lies: 0 at the first end, 1 at the last. */
  public double position(double value) {
    double from = scale.applyAsDouble(first);
    return (scale.applyAsDouble(value) - from) / (scale.applyAsDouble(last) - from);
  }

  /** The values to mark, in order. */
  public List<Double> marks() {
    return marks;
  }

  /** The smallest step that is no less than this. */
  private static double stepFrom(double value) {
    double power = Math.pow(10, Math.floor(Math.log10(value) + HAIR));
    for (double step : STEPS) {
      if (step * power >= value * (1 - HAIR)) {
        return step * power;
      }
    }
    return STEPS[0] * power * 10;
  }

  /** The largest step that is no more than this. */
  private static double stepUpTo(double value) {
    double power = Math.pow(10, Math.floor(Math.log10(value) + HAIR));
    double found = power;
    for (double step : STEPS) {
      if (step * power <= value * (1 + HAIR)) {
        found = step * power;
      }
    }
    return found;
  }

  private static boolean isPowerOfTen(double value) {
    double decades = Math.log10(value);
    return Math.abs(decades - Math.rint(decades)) < HAIR;
  }
}
