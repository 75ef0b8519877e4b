package dev.sluice.cli.config;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * On which line of a TOML file a key stands. The parser does not tell; this reads headings and
 * left-hand sides only, which is enough to lead somebody to the place, and finds nothing rather
 * than something wrong inside of values that go over several lines.
 */
final class KeyLines {
  private static final String PART = "\"(?:[^\"\\\\]|\\\\.)*\"|'[^']*'|[A-Za-z0-9_-]+";
  private static final String KEY = "((?:" + PART + ")(?:\\s*\\.\\s*(?:" + PART + "))*)";
  private static final Pattern PARTS = Pattern.compile(PART);
  private static final Pattern HEADING = Pattern.compile("^\\s*\\[\\[?\\s*" + KEY + "\\s*\\]");
  private static final Pattern ASSIGNMENT = Pattern.compile("^\\s*" + KEY + "\\s*=(.*)$");

  private final Map<List<String>, Integer> lines = new HashMap<>();

  static KeyLines of(String text) {
    KeyLines keys = new KeyLines();
    List<String> table = List.of();
    String open = "";
    int number = 0;
    for (String line : text.lines().toList()) {
      number++;
      if (!open.isEmpty()) {
        open = line.contains(open) ? "" : open;
        continue;
      }
      Matcher heading = HEADING.matcher(line);
      Matcher assignment = ASSIGNMENT.matcher(line);
      if (heading.find()) {
        table = parts(heading.group(1));
        keys.lines.putIfAbsent(table, number);
      } else if (assignment.find()) {
        List<String> key = new ArrayList<>(table);
        key.addAll(parts(assignment.group(1)));
        keys.lines.putIfAbsent(key, number);
        open = opened(assignment.group(2));
      }
    }
    return keys;
  }

  /** The quotes of a text that goes on in the next line, or nothing. */
  private static String opened(String value) {
    for (String quotes : List.of("\"\"\"", "'''")) {
      int first = value.indexOf(quotes);
      if (first >= 0 && value.indexOf(quotes, first + quotes.length()) < 0) {
        return quotes;
      }
    }
    return "";
  }

  private static List<String> parts(String key) {
    return PARTS
        .matcher(key)
        .results()
        .map(part -> part.group().replaceAll("^[\"']|[\"']$", ""))
        .toList();
  }

  /** The line of the key, or of the nearest table above it that has one. */
  Optional<Integer> of(List<String> key) {
    for (int length = key.size(); length > 0; length--) {
      Integer line = lines.get(key.subList(0, length));
      if (line != null) {
        return Optional.of(line);
      }
    }
    return Optional.empty();
  }
}
