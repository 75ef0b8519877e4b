package dev.sluice.object.state;

import java.time.Duration;
import java.time.Instant;

/** Times as microseconds since 1970, which is how they are kept. */
public final class Micros {
  private Micros() {}

  /** The moment, cut to whole microseconds. */
  public static long of(Instant instant) {
    return Math.addExact(
        Math.multiplyExact(instant.getEpochSecond(), 1_000_000L), instant.getNano() / 1_000);
  }

  /** The first whole microsecond that is not before the moment. */
  public static long notBefore(Instant instant) {
    return of(instant) + (instant.getNano() % 1_000 == 0 ? 0 : 1);
  }

  /** The duration, cut to whole microseconds. */
  public static long of(Duration duration) {
    return duration.toSeconds() * 1_000_000 + duration.toNanosPart() / 1_000;
  }

  /** The moment. */
  public static Instant toInstant(long micros) {
    return Instant.ofEpochSecond(
        Math.floorDiv(micros, 1_000_000L), Math.floorMod(micros, 1_000_000L) * 1_000);
  }

  /** The duration. */
  public static Duration toDuration(long micros) {
    return Duration.ofSeconds(micros / 1_000_000, micros % 1_000_000 * 1_000);
  }
}
