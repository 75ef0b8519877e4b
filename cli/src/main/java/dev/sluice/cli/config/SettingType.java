package dev.sluice.cli.config;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * What the values of a setting are, and how they are written.
 *
 * @param allowed what is allowed, to go on after "use"
 * @param fromFile reads a value of a file; empty = it is not allowed
 * @param fromText reads a value of the environment; empty = it is not allowed
 * @param toText writes a value as it would be typed
 */
public record SettingType<T>(
    String allowed,
    Function<JsonNode, Optional<T>> fromFile,
    Function<String, Optional<T>> fromText,
    Function<T, String> toText) {
  private static final BigDecimal MOST_SECONDS = BigDecimal.valueOf(1_000_000_000L);

  Optional<T> read(JsonNode node) {
    return fromFile.apply(node);
  }

  Optional<T> parse(String text) {
    return fromText.apply(text.strip());
  }

  String show(T value) {
    return toText.apply(value);
  }

  /** Any text but an empty one. */
  static SettingType<String> text(String allowed) {
    Function<String, Optional<String>> filled = text -> Optional.of(text).filter(t -> !t.isBlank());
    return new SettingType<>(
        allowed,
        node -> node.isTextual() ? filled.apply(node.textValue()) : Optional.empty(),
        filled,
        Function.identity());
  }

  /** A whole number within bounds. */
  static SettingType<Integer> number(int least, int most) {
    Function<BigDecimal, Optional<Integer>> within =
        number -> {
          try {
            return Optional.of(number.intValueExact()).filter(n -> n >= least && n <= most);
          } catch (ArithmeticException e) {
            return Optional.empty();
          }
        };
    return new SettingType<>(
        most == Integer.MAX_VALUE
            ? "a whole number, " + least + " or more"
            : "a whole number from " + least + " to " + most,
        node -> node.isIntegralNumber() ? within.apply(node.decimalValue()) : Optional.empty(),
        text -> decimal(text).flatMap(within),
        String::valueOf);
  }

  /** A length of time, as a number of this unit. */
  static SettingType<Duration> duration(String unit, Duration length, Duration least) {
    Function<BigDecimal, Optional<Duration>> within =
        number ->
            number.abs().compareTo(MOST_SECONDS) > 0
                ? Optional.empty()
                : Optional.of(number.multiply(BigDecimal.valueOf(length.toMillis())).longValue())
                    .map(Duration::ofMillis)
                    .filter(d -> d.compareTo(least) >= 0);
    return new SettingType<>(
        "a number of %s, %s or more".formatted(unit, in(length, least)),
        node -> node.isNumber() ? within.apply(node.decimalValue()) : Optional.empty(),
        text -> decimal(text).flatMap(within),
        value -> in(length, value));
  }

  private static String in(Duration unit, Duration value) {
    return BigDecimal.valueOf(value.toMillis())
        .divide(BigDecimal.valueOf(unit.toMillis()), java.math.MathContext.DECIMAL64)
        .stripTrailingZeros()
        .toPlainString();
  }

  /** Yes or no. */
  static SettingType<Boolean> flag() {
    return new SettingType<>(
        "true or false",
        node -> node.isBoolean() ? Optional.of(node.booleanValue()) : Optional.empty(),
        text ->
            switch (text) {
              case "true", "1", "yes" -> Optional.of(true);
              case "false", "0", "no" -> Optional.of(false);
              default -> Optional.empty();
            },
        String::valueOf);
  }

  /** Some texts; a file may give a single one without brackets, a variable has commas between. */
  static SettingType<List<String>> texts(String allowed) {
    return new SettingType<>(
        allowed,
        SettingType::texts,
        text ->
            Optional.of(Stream.of(text.split(",")).map(String::strip).toList())
                .filter(SettingType::allFilled),
        texts -> String.join(",", texts));
  }

  private static Optional<List<String>> texts(JsonNode node) {
    List<String> texts = new ArrayList<>();
    for (JsonNode element : node.isArray() ? node : List.of(node)) {
      if (!element.isTextual()) {
        return Optional.empty();
      }
      texts.add(element.textValue());
    }
    return Optional.of(texts).filter(SettingType::allFilled);
  }

  private static boolean allFilled(List<String> texts) {
    return !texts.isEmpty() && texts.stream().noneMatch(String::isBlank);
  }

  private static Optional<BigDecimal> decimal(String text) {
    try {
      return text.length() > 30 ? Optional.empty() : Optional.of(new BigDecimal(text));
    } catch (NumberFormatException e) {
      return Optional.empty();
    }
  }
}
