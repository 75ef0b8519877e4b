package dev.sluice.internal;

import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;

/** How many there are of each name, for log lines: {@code 3 of 'resize', 1 of 'upload'}. */
final class Counts {
  private Counts() {}

  /** Counts these by their name. */
  static <T> Map<String, Integer> of(Collection<T> things, Function<T, String> name) {
    return things.stream().collect(Collectors.toMap(name, thing -> 1, Integer::sum, TreeMap::new));
  }

  /** The counts as text, sorted by name; {@code none} if there are none. */
  static String text(Map<String, Integer> counts) {
    return counts.isEmpty()
        ? "none"
        : new TreeMap<>(counts)
            .entrySet().stream()
                .map(entry -> entry.getValue() + " of '" + entry.getKey() + "'")
                .collect(Collectors.joining(", "));
  }
}
