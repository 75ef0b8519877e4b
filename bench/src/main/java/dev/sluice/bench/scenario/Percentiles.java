package dev.sluice.bench.scenario;

import dev.sluice.bench.report.Figure;
import java.util.List;
import java.util.Map;

/** Distributions as figures: the percentiles of each round. */
final class Percentiles {
  private Percentiles() {}

  /** Adds the percentiles that reports tell, if anything was measured. */
  static void put(Map<String, Figure> figures, String name, List<Distribution> rounds) {
    if (rounds.stream().noneMatch(Distribution::isEmpty)) {
      for (int percent : Distribution.TOLD) {
        figures.put("%s p%d".formatted(name, percent), figure(percent, rounds));
      }
    }
  }

  static Figure figure(int percent, List<Distribution> rounds) {
    return new Figure("ms", rounds.stream().map(each -> each.percentile(percent)).toList());
  }
}
