package dev.sluice.throttle;

import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Pattern;

/**
 * Environment variables as settings. What is set must be right: a value that cannot be used is
 * refused with the variable's name, also if it is empty, and is never taken as something else.
 */
public final class Environment {
  private static final Pattern DIGITS = Pattern.compile("[0-9]{1,10}");

  private final Map<String, String> variables;

  /** These variables. */
  public Environment(Map<String, String> variables) {
    this.variables = Map.copyOf(variables);
  }

  /** The variables of this process. */
  public static Environment system() {
    return new Environment(System.getenv());
  }

  /**
   * A whole number from 1; empty if it is not set.
   *
   * @throws InvalidSettingException if it is something else
   */
  public OptionalInt positiveInt(String variable) {
    return intBetween(variable, 1, Integer.MAX_VALUE);
  }

  /**
   * A whole number from {@code least} to {@code most}; empty if it is not set.
   *
   * @throws InvalidSettingException if it is something else
   */
  public OptionalInt intBetween(String variable, int least, int most) {
    String text = variables.get(variable);
    if (text == null) {
      return OptionalInt.empty();
    }
    String number = text.strip();
    long value = DIGITS.matcher(number).matches() ? Long.parseLong(number) : Long.MIN_VALUE;
    if (value < least || value > most) {
      throw new InvalidSettingException(
          variable, text, "a whole number from %d to %d".formatted(least, most));
    }
    return OptionalInt.of((int) value);
  }

  /**
   * Yes or no: {@code true}, {@code 1}, {@code yes}, {@code on}, or {@code false}, {@code 0},
   * {@code no}, {@code off}, in any case; empty if it is not set.
   *
   * @throws InvalidSettingException if it is something else
   */
  public Optional<Boolean> flag(String variable) {
    String text = variables.get(variable);
    if (text == null) {
      return Optional.empty();
    }
    return switch (text.strip().toLowerCase(java.util.Locale.ROOT)) {
      case "true", "1", "yes", "on" -> Optional.of(true);
      case "false", "0", "no", "off" -> Optional.of(false);
      default -> throw new InvalidSettingException(variable, text, "true or false");
    };
  }
}
