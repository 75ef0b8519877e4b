package dev.sluice.workflow;

import java.time.Duration;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** How long a wait is, as definitions write it: {@code 500ms}, {@code 20s}, {@code 1m30s}. */
final class WaitText {
  private static final Pattern PART = Pattern.compile("(\\d{1,9})(ms|s|m|h|d)");

  private WaitText() {}

  static Duration parse(String text) {
    String trimmed = text.strip().toLowerCase(Locale.ROOT);
    Matcher part = PART.matcher(trimmed);
    Duration sum = Duration.ZERO;
    int end = 0;
    while (end < trimmed.length() && part.find(end) && part.start() == end) {
      sum = sum.plus(unit(part.group(2)).multipliedBy(Long.parseLong(part.group(1))));
      end = part.end();
    }
    if (trimmed.isEmpty() || end < trimmed.length()) {
      throw new IllegalArgumentException("'" + text + "' is not a duration");
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
  static String format(Duration duration) {
    StringBuilder text = new StringBuilder();
    append(text, duration.toDaysPart(), "d");
    append(text, duration.toHoursPart(), "h");
    append(text, duration.toMinutesPart(), "m");
    append(text, duration.toSecondsPart(), "s");
    append(text, duration.toMillisPart(), "ms");
    return text.isEmpty() ? "0s" : text.toString();
  }

  private static void append(StringBuilder text, long number, String unit) {
    if (number != 0) {
      text.append(number).append(unit);
    }
  }
}
