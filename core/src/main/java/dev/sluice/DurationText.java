package dev.sluice;

import java.time.Duration;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Durations as people write them, in definitions, files and commands: {@code 500ms}, {@code 20s},
 * {@code 1m30s}, {@code 1.5h}, {@code 2d}.
 */
public final class DurationText {
  private static final Pattern PART = Pattern.compile("(\\d{1,9}(?:\\.\\d{1,9})?)(ms|s|m|h|d)");
  private static final int LONGEST_SHOWN = 40;

  private DurationText() {}

  /**
   * Reads a duration: one or more numbers, each with its unit ms, s, m, h or d.
   *
   * @throws IllegalArgumentException if the text is anything else; the message says what is allowed
   */
  public static Duration parse(String text) {
    String trimmed = text.strip().toLowerCase(Locale.ROOT);
    Matcher part = PART.matcher(trimmed);
    Duration sum = Duration.ZERO;
    int end = 0;
    while (end < trimmed.length() && part.find(end) && part.start() == end) {
      double nanos = Double.parseDouble(part.group(1)) * unit(part.group(2)).toNanos();
      sum = sum.plusNanos(Math.round(nanos));
      end = part.end();
    }
    if (trimmed.isEmpty() || end < trimmed.length()) {
      throw new IllegalArgumentException(
          "'%s' is not a duration. Write a number with its unit: 500ms, 20s, 1m30s, 2h or 1d."
              .formatted(
                  text.length() > LONGEST_SHOWN ? text.substring(0, LONGEST_SHOWN) + "…" : text));
    }
    return sum;
  }

  private static Duration unit(String unit) {
    return switch (unit) {
      case "ms" -> Duration.ofMillis(1);
      case "s" -> Duration.ofSeconds(1);
      case "m" -> Duration.ofMinutes(1);
      case "h" -> Duration.ofHours(1);
      default -> Duration.ofDays(1);
    };
  }

  /** What {@link #parse} reads, to the millisecond. */
  public static String format(Duration duration) {
    StringBuilder text = new StringBuilder(duration.isNegative() ? "-" : "");
    Duration left = duration.abs();
    append(text, left.toDaysPart(), "d");
    append(text, left.toHoursPart(), "h");
    append(text, left.toMinutesPart(), "m");
    append(text, left.toSecondsPart(), "s");
    append(text, left.toMillisPart(), "ms");
    return left.toMillis() == 0 ? "0s" : text.toString();
  }

  private static void append(StringBuilder text, long number, String unit) {
    if (number != 0) {
      text.append(number).append(unit);
    }
  }
}
