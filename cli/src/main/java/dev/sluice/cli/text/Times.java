package dev.sluice.cli.text;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;

/** Moments in the reader's time zone, with how long ago or how far ahead they are. */
public final class Times {
  private static final DateTimeFormatter FORMAT =
      DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ssxxx");
  private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("HH:mm:ssxxx");
  private static final Duration NOW = Duration.ofSeconds(1);

  private final Clock clock;

  public Times(Clock clock) {
    this.clock = clock;
  }

  /** The age alone: {@code 3m 5s ago}, {@code now}, {@code in 20s}. */
  public String age(Instant moment) {
    Duration age = Duration.between(moment, clock.instant());
    if (age.abs().compareTo(NOW) < 0) {
      return "now";
    }
    return age.isNegative()
        ? "in " + Durations.format(age.negated())
        : Durations.format(age) + " ago";
  }

  /** The time of day: {@code 14:05:11+01:00}. */
  public String timeOfDay(Instant moment) {
    return TIME.format(moment.atZone(clock.getZone()));
  }

  /** Date, time and age: {@code 2026-03-01 14:05:11+01:00 (3m 5s ago)}. */
  public String full(Instant moment) {
    ZoneId zone = clock.getZone();
    return FORMAT.format(moment.atZone(zone)) + " (" + age(moment) + ")";
  }

  /** How long from now until the moment; zero if it has passed. */
  public Duration until(Instant moment) {
    Duration left = Duration.between(clock.instant(), moment);
    return left.isNegative() ? Duration.ZERO : left;
  }
}
