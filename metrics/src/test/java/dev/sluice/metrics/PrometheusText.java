package dev.sluice.metrics;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The Prometheus text format, read strictly: by the grammar of the format, and by the rules that
 * {@code promtool check metrics} applies on top. Whatever breaks a rule is in {@link #problems()}.
 */
final class PrometheusText {
  private static final Pattern NAME = Pattern.compile("[a-zA-Z_:][a-zA-Z0-9_:]*");
  private static final Pattern LABEL =
      Pattern.compile("([a-zA-Z_][a-zA-Z0-9_]*)=\"((?:[^\"\\\\\n]|\\\\[\\\\\"n])*)\"(,|$)");
  private static final Pattern SAMPLE =
      Pattern.compile("([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\\{(.*)\\})? (\\S+)(?: (-?\\d+))?");
  private static final Set<String> TYPES =
      Set.of("counter", "gauge", "histogram", "summary", "untyped");
  private static final List<String> NOT_BASE_UNITS =
      List.of("_milliseconds", "_ms", "_minutes", "_hours", "_kilobytes", "_percent", "_millis");

  /** A series: a name and its labels. */
  record Series(String name, Map<String, String> labels) {}

  /** A family of series. */
  record Family(String name, String type, String help) {}

  private final Map<Series, Double> samples = new LinkedHashMap<>();
  private final Map<String, Family> families = new LinkedHashMap<>();
  private final Map<String, String> helps = new HashMap<>();
  private final Set<String> finished = new HashSet<>();
  private final List<String> problems = new ArrayList<>();
  private String current = "";

  private PrometheusText() {}

  static PrometheusText parse(String text) {
    PrometheusText parsed = new PrometheusText();
    if (!text.endsWith("\n")) {
      parsed.problems.add("the text does not end with a newline");
    }
    text.lines().filter(line -> !line.isEmpty()).forEach(parsed::line);
    parsed.checkFamilies();
    parsed.checkHistograms();
    return parsed;
  }

  List<String> problems() {
    return problems;
  }

  Map<String, Family> families() {
    return families;
  }

  /** The value of exactly this series. */
  double value(String name, String... labels) {
    Map<String, String> wanted = new TreeMap<>();
    for (int i = 0; i < labels.length; i += 2) {
      wanted.put(labels[i], labels[i + 1]);
    }
    Double value = samples.get(new Series(name, wanted));
    if (value == null) {
      throw new AssertionError("There is no series " + name + wanted + " in " + samples.keySet());
    }
    return value;
  }

  /** The values of a label over all series of a name. */
  Set<String> labelValues(String name, String label) {
    Set<String> values = new HashSet<>();
    samples.keySet().stream()
        .filter(series -> series.name.equals(name))
        .forEach(series -> values.add(series.labels.get(label)));
    return values;
  }

  double sum(String name) {
    return samples.entrySet().stream()
        .filter(sample -> sample.getKey().name.equals(name))
        .mapToDouble(Map.Entry::getValue)
        .sum();
  }

  private void line(String line) {
    if (line.startsWith("# HELP ")) {
      String[] parts = line.substring(7).split(" ", 2);
      if (helps.put(parts[0], parts.length > 1 ? parts[1] : "") != null) {
        problems.add("a second HELP of " + parts[0]);
      }
    } else if (line.startsWith("# TYPE ")) {
      String[] parts = line.substring(7).split(" ");
      if (parts.length != 2 || !TYPES.contains(parts[1])) {
        problems.add("not a type: " + line);
      } else if (families.containsKey(parts[0])) {
        problems.add("a second TYPE of " + parts[0]);
      } else {
        families.put(parts[0], new Family(parts[0], parts[1], helps.getOrDefault(parts[0], "")));
      }
    } else if (!line.startsWith("#")) {
      sample(line);
    }
  }

  private void sample(String line) {
    Matcher matcher = SAMPLE.matcher(line);
    if (!matcher.matches()) {
      problems.add("not a sample: " + line);
      return;
    }
    String name = matcher.group(1);
    Series series = new Series(name, labels(matcher.group(2), line));
    String family = familyOf(name);
    if (!families.containsKey(family)) {
      problems.add("a sample before the TYPE of its family: " + line);
    }
    if (!family.equals(current)) {
      if (finished.contains(family)) {
        problems.add("the family " + family + " is in two places");
      }
      finished.add(current);
      current = family;
    }
    if (samples.put(series, number(matcher.group(3), line)) != null) {
      problems.add("a duplicate series: " + line);
    }
  }

  private Map<String, String> labels(String text, String line) {
    Map<String, String> labels = new TreeMap<>();
    if (text == null) {
      return labels;
    }
    Matcher matcher = LABEL.matcher(text);
    int at = 0;
    while (at < text.length() && matcher.find(at) && matcher.start() == at) {
      String value =
          matcher.group(2).replace("\\n", "\n").replace("\\\"", "\"").replace("\\\\", "\\");
      if (labels.put(matcher.group(1), value) != null) {
        problems.add("a label twice: " + line);
      }
      at = matcher.end();
    }
    if (at < text.length()) {
      problems.add("not labels: " + line);
    }
    return labels;
  }

  private double number(String text, String line) {
    try {
      return switch (text) {
        case "+Inf" -> Double.POSITIVE_INFINITY;
        case "-Inf" -> Double.NEGATIVE_INFINITY;
        default -> Double.parseDouble(text);
      };
    } catch (NumberFormatException e) {
      problems.add("not a number: " + line);
      return Double.NaN;
    }
  }

  private String familyOf(String name) {
    for (String suffix : List.of("_bucket", "_sum", "_count")) {
      if (name.endsWith(suffix)) {
        String base = name.substring(0, name.length() - suffix.length());
        Family family = families.get(base);
        if (family != null
            && (family.type.equals("histogram")
                || (family.type.equals("summary") && !suffix.equals("_bucket")))) {
          return base;
        }
      }
    }
    return name;
  }

  private void checkFamilies() {
    for (Family family : families.values()) {
      String name = family.name;
      boolean total = name.endsWith("_total");
      if (!NAME.matcher(name).matches() || !name.equals(name.toLowerCase(Locale.ROOT))) {
        problems.add("not a good name: " + name);
      }
      if (family.help.isBlank()) {
        problems.add("no HELP before the TYPE of " + name);
      }
      if (family.type.equals("counter") != total) {
        problems.add(name + " is a " + family.type + ": counters, and only they, end with _total");
      }
      if (family.type.equals("untyped")) {
        problems.add("no type: " + name);
      }
      if (name.contains(family.type)) {
        problems.add("a name with its type in it: " + name);
      }
      if (!family.type.equals("histogram")
          && List.of("_bucket", "_sum", "_count").stream().anyMatch(name::endsWith)) {
        problems.add("a name like a part of a histogram: " + name);
      }
      NOT_BASE_UNITS.stream()
          .filter(name::contains)
          .forEach(unit -> problems.add(name + " is not in base units"));
    }
  }

  /** Classes grow, end at +Inf, and the last equals the count. */
  private void checkHistograms() {
    Map<Series, TreeMap<Double, Double>> histograms = new LinkedHashMap<>();
    samples.forEach(
        (series, value) -> {
          if (series.name.endsWith("_bucket")) {
            Map<String, String> labels = new TreeMap<>(series.labels);
            String bound = labels.remove("le");
            if (bound == null) {
              problems.add("a class without a bound: " + series);
              return;
            }
            String base = series.name.substring(0, series.name.length() - "_bucket".length());
            histograms
                .computeIfAbsent(new Series(base, labels), any -> new TreeMap<>())
                .put(number(bound, series.toString()), value);
          }
        });
    histograms.forEach(
        (series, classes) -> {
          double last = -1;
          for (double count : classes.values()) {
            if (count < last) {
              problems.add("classes of " + series + " do not grow");
            }
            last = count;
          }
          if (classes.lastKey() != Double.POSITIVE_INFINITY) {
            problems.add("no class without bound in " + series);
          }
          Double count = samples.get(new Series(series.name + "_count", series.labels));
          Double sum = samples.get(new Series(series.name + "_sum", series.labels));
          if (count == null || count != last || sum == null) {
            problems.add("count or sum of " + series + " missing or wrong");
          }
        });
  }
}
