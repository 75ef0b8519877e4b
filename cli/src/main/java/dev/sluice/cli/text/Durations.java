package dev.sluice.cli.text;

import java.time.Duration;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Durations as people write and read them: {@code 500ms}, {@code 20s}, {@code 1m30s}, {@code 2h}.
 */
public final class Durations {
  private static final Pattern PART = Pattern.compile("(\\d{1,9}(?:\\.\\d{1,9})?)(ms|s|m|h|d)");
  private static final int SECONDS_PER_MINUTE = 60;

  private Durations() {}

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
              .formatted(text.length() > 40 ? text.substring(0, 40) + "…" : text));
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

  /** The duration with its two largest units: {@code 350ms}, {@code 4.2s}, {@code 3m 5s}. */
  public static String format(Duration duration) {
    if (duration.isNegative()) {
      return "-" + format(duration.negated());
    }
    long seconds = duration.toSeconds();
    if (seconds < 1) {
      return duration.toMillis() + "ms";
    } else if (seconds < 10) {
      return String.format(Locale.ROOT, "%.1fs", Math.floor(duration.toMillis() / 100.0) / 10);
    } else if (seconds < SECONDS_PER_MINUTE) {
      return seconds + "s";
    } else if (duration.toHours() < 1) {
      return duration.toMinutes() + "m " + duration.toSecondsPart() + "s";
    } else if (duration.toDays() < 1) {
      return duration.toHours() + "h " + duration.toMinutesPart() + "m";
    }
    return duration.toDays() + "d " + duration.toHoursPart() + "h";
  }
}
