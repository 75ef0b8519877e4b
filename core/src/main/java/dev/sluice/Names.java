package dev.sluice;

import dev.sluice.internal.Durations;
import java.time.Duration;
import java.util.Objects;

/**
 * The rules that names and numbers given by users must keep, with the messages for those that do
 * not.
 */
final class Names {
  static final int MAX_LENGTH = 200;

  private Names() {}

  static String require(String what, String name) {
    Objects.requireNonNull(name, what);
    if (name.isBlank()) {
      throw new InvalidRequestException(
          "The " + what + " is empty; give it at least one character.");
    }
    if (name.length() > MAX_LENGTH) {
      throw new InvalidRequestException(
          "The %s '%s…' has %d characters; at most %d are allowed."
              .formatted(what, name.substring(0, 40), name.length(), MAX_LENGTH));
    }
    if (name.chars().anyMatch(c -> c == 0)) {
      throw new InvalidRequestException(
          "The " + what + " holds a NUL character, which cannot be stored.");
    }
    return name;
  }

  static int requireLimit(String what, int limit) {
    if (limit < 0) {
      throw new InvalidRequestException(
          "%s %d is negative. Use 0 to hold the group, or 1 and more; remove the limit to lift it."
              .formatted(what, limit));
    }
    return limit;
  }

  static Duration requirePositive(String what, Duration duration) {
    if (duration.isNegative() || duration.isZero()) {
      throw new InvalidRequestException(
          "A " + what + " of " + Durations.format(duration) + " is not positive.");
    }
    return duration;
  }
}
