package dev.sluice.bench.scenario;

import dev.sluice.bench.report.Figure;
import dev.sluice.bench.report.Ratio;
import dev.sluice.bench.report.Ratio.Goal;
import dev.sluice.bench.report.Section;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Runs settings in turns and compares their throughput, round by round, with that of the first.
 * Immutable: each method returns a changed copy.
 */
record ThroughputScenario(
    String name, String summary, List<Setting> settings, Optional<Goal> goal, List<String> remarks)
    implements Scenario {

  /** A scenario whose first setting is the one to compare with. */
  static ThroughputScenario of(String name, String summary, Setting... settings) {
    return new ThroughputScenario(name, summary, List.of(settings), Optional.empty(), List.of());
  }

  /** What the quotients are meant to reach. */
  ThroughputScenario goal(Goal reach) {
    return new ThroughputScenario(name, summary, settings, Optional.of(reach), remarks);
  }

  ThroughputScenario remark(String remark) {
    return new ThroughputScenario(
        name, summary, settings, goal, Stream.concat(remarks.stream(), Stream.of(remark)).toList());
  }

  @Override
  public Section run(Bench bench) throws InterruptedException {
    List<Measured> measured = Rounds.measure(bench, name, settings);
    return new Section(
        name,
        summary,
        measured.stream().map(each -> each.subject(name)).toList(),
        ratios(measured),
        List.of(),
        remarks);
  }

  private List<Ratio> ratios(List<Measured> measured) {
    Measured first = measured.get(0);
    List<Ratio> ratios = new ArrayList<>();
    for (Measured other : measured.subList(1, measured.size())) {
      Figure quotient = other.against(first, Round::jobsPerSecond);
      ratios.add(
          new Ratio(
              "%s vs %s".formatted(other.setting().name(), first.setting().name()),
              quotient,
              goal));
    }
    measured.forEach(each -> ratios.addAll(each.slotTimes()));
    return ratios;
  }
}
