package dev.sluice.internal;

import java.time.Duration;

/** Durations in messages: {@code 500 ms}, {@code 1 min 30 s}, and not {@code PT1M30S}. */
public final class Durations {
  private static final int NANOS_PER_MILLI = 1_000_000;

  private Durations() {}

  /** The duration in full, from the largest unit that it has to the smallest. */
  public static String format(Duration duration) {
    if (duration.isNegative() && duration.getSeconds() > Long.MIN_VALUE) {
      return "-" + format(duration.negated());
    }
    StringBuilder text = new StringBuilder();
    append(text, duration.toDaysPart(), "d");
    append(text, duration.toHoursPart(), "h");
    append(text, duration.toMinutesPart(), "min");
    append(text, duration.toSecondsPart(), "s");
    append(text, duration.toMillisPart(), "ms");
    append(text, duration.toNanosPart() % NANOS_PER_MILLI, "ns");
    return text.isEmpty() ? "0 s" : text.toString();
  }

  private static void append(StringBuilder text, long number, String unit) {
    if (number != 0) {
      text.append(text.isEmpty() ? "" : " ").append(number).append(' ').append(unit);
    }
  }
}
