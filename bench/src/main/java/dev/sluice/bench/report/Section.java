package dev.sluice.bench.report;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * What one scenario found.
 *
 * @param name the scenario
 * @param summary what it does, in a sentence
 * @param subjects what was measured
 * @param ratios what was compared
 * @param curves how figures grow with something; empty for most scenarios
 * @param remarks what a reader has to know to judge the figures
 */
public record Section(
    String name,
    String summary,
    List<Subject> subjects,
    List<Ratio> ratios,
    List<Curve> curves,
    List<String> remarks) {
  public Section {
    subjects = List.copyOf(subjects);
    ratios = List.copyOf(ratios);
    curves = List.copyOf(curves);
    remarks = List.copyOf(remarks);
  }

  /** The names of all figures of its subjects, in the order to show them. */
  public List<String> figureNames() {
    return subjects.stream().flatMap(s -> s.figures().keySet().stream()).distinct().toList();
  }

  /** The curves by their name: those of one name are the lines of one chart. */
  public Map<String, List<Curve>> charts() {
    return curves.stream()
        .collect(Collectors.groupingBy(Curve::name, LinkedHashMap::new, Collectors.toList()));
  }
}
