package dev.sluice.bench.scenario;

import dev.sluice.bench.report.Figure;
import dev.sluice.bench.report.Ratio;
import dev.sluice.bench.report.Subject;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;

/**
 * What was found about one setting.
 *
 * @param rounds in order
 * @param profile from a round of its own
 */
record Measured(Setting setting, List<Round> rounds, Profile profile) {
  private static final List<String> SLOT_FUNCTIONS = List.of("take_slots", "release_slots");
  private static final List<String> FUNCTIONS =
      List.of("exchange", "claim", "finish", "take_slots", "release_slots");

  /** A figure of each round. */
  Figure figure(String unit, ToDoubleFunction<Round> value) {
    return new Figure(unit, rounds.stream().mapToDouble(value).boxed().toList());
  }

  /** A figure of each round as the quotient to another's in the same round. */
  Figure against(Measured other, ToDoubleFunction<Round> value) {
    return new Figure(
        "",
        IntStream.range(0, rounds.size())
            .mapToObj(
                i -> value.applyAsDouble(rounds.get(i)) / value.applyAsDouble(other.rounds.get(i)))
            .toList());
  }

  /** How long slots took to take and to give back; empty if none were. */
  List<Ratio> slotTimes() {
    return SLOT_FUNCTIONS.stream()
        .filter(profile.functions()::containsKey)
        .map(
            function ->
                new Ratio(
                    "%s of %s, ms per call".formatted(function, setting.name()),
                    Figure.once("ms", profile.functions().get(function)),
                    Optional.of(Ratio.Goal.atMost(1, 0.2))))
        .toList();
  }

  Subject subject(String scenario) {
    Map<String, Figure> figures = new LinkedHashMap<>();
    int workers = setting.crew().workers();
    figures.put(Subject.JOBS_PER_SECOND, figure("jobs/s", Round::jobsPerSecond));
    figures.put("per worker", figure("jobs/s", round -> round.jobsPerSecond() / workers));
    figures.put("submits/s", figure("jobs/s", Round::submitsPerSecond));
    putPercentiles(figures, "claim", profile.claiming());
    putPercentiles(figures, "completion", profile.completing());
    for (String function : FUNCTIONS) {
      if (profile.functions().containsKey(function)) {
        figures.put("server: " + function, Figure.once("ms", profile.functions().get(function)));
      }
    }
    figures.put("heap after", Figure.once("MB", profile.heapMegabytes()));
    return new Subject(scenario + ": " + setting.name(), setting.described(), figures);
  }

  private static void putPercentiles(
      Map<String, Figure> figures, String name, Distribution distribution) {
    if (!distribution.isEmpty()) {
      for (int percent : new int[] {50, 95, 99}) {
        figures.put(
            "%s p%d".formatted(name, percent), Figure.once("ms", distribution.percentile(percent)));
      }
    }
  }
}
