package dev.sluice.bench.report;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Two reports side by side. Each figure and each ratio that both know makes a row.
 *
 * @param rows what both have, in the order of the first
 * @param onlyBefore what only the first has, by name
 * @param onlyAfter what only the second has, by name
 */
public record Comparison(List<Row> rows, List<String> onlyBefore, List<String> onlyAfter) {
  /** Whether a figure has changed. */
  public enum Change {
    /** The medians are further apart than either report's least and most. */
    MORE,
    /** The same, downwards. */
    LESS,
    /** They are not. */
    WITHIN_SPREAD,
    /** One of the two was measured once, so nobody knows its spread. */
    UNKNOWN
  }

  /**
   * One figure in both reports.
   *
   * @param subject the section and what was measured
   * @param figure its name; {@code ratio} for a ratio
   */
  public record Row(String subject, String figure, Figure before, Figure after) {
    /** By how much the median has grown; 1 = not at all. */
    public double quotient() {
      return after.median() / before.median();
    }

    /** Whether that means anything. */
    public Change change() {
      if (before.values().size() == 1 || after.values().size() == 1) {
        return Change.UNKNOWN;
      }
      double difference = after.median() - before.median();
      double spread = Math.max(before.most() - before.least(), after.most() - after.least());
      if (Math.abs(difference) <= spread) {
        return Change.WITHIN_SPREAD;
      }
      return difference > 0 ? Change.MORE : Change.LESS;
    }
  }

  /** Compares two reports. */
  public static Comparison of(Report before, Report after) {
    Map<String, Map<String, Figure>> first = figures(before);
    Map<String, Map<String, Figure>> second = figures(after);
    List<Row> rows = new ArrayList<>();
    first.forEach(
        (subject, figures) ->
            figures.forEach(
                (name, figure) -> {
                  Figure other = second.getOrDefault(subject, Map.of()).get(name);
                  if (other != null && other.known() && figure.known()) {
                    rows.add(new Row(subject, name, figure, other));
                  }
                }));
    return new Comparison(List.copyOf(rows), missing(first, second), missing(second, first));
  }

  private static Map<String, Map<String, Figure>> figures(Report report) {
    Map<String, Map<String, Figure>> figures = new LinkedHashMap<>();
    for (Section section : report.sections()) {
      for (Subject subject : section.subjects()) {
        figures.put(section.name() + ": " + subject.name(), subject.figures());
      }
      for (Ratio ratio : section.ratios()) {
        figures.put(section.name() + ": " + ratio.name(), Map.of("ratio", ratio.value()));
      }
    }
    return figures;
  }

  private static List<String> missing(
      Map<String, Map<String, Figure>> from, Map<String, Map<String, Figure>> in) {
    return from.keySet().stream().filter(subject -> !in.containsKey(subject)).toList();
  }
}
