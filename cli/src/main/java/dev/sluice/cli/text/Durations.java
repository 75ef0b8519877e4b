package dev.sluice.cli.text;

import dev.sluice.DurationText;
import java.time.Duration;
import java.util.Locale;

/**
 * Durations as people write and read them: {@code 500ms}, {@code 20s}, {@code 1m30s}, {@code 2h}.
 */
public final class Durations {
  private static final int SECONDS_PER_MINUTE = 60;

  private Durations() {}

  /**
   * Reads a duration: one or more numbers, each with its unit ms, s, m, h or d.
   *
   * @throws IllegalArgumentException if the text is anything else; the message says what is allowed
   */
  public static Duration parse(String text) {
    return DurationText.parse(text);
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
