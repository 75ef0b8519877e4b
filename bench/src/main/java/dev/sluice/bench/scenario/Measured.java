package dev.sluice.bench.scenario;

import dev.sluice.bench.report.Figure;
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
record Measured(Setting setting, List<Round> rounds, Stage.Profile profile) {
  private static final List<String> FUNCTIONS =
      List.of(
          "exchange",
          "claim",
          "admit",
          "finish",
          "take_slots",
          "free_slots",
          "slot taken",
          "slot given back");

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

  /** What the server spent on a job, against another's; empty if nothing is known of that. */
  Optional<Figure> serverCpuAgainst(Measured other) {
    List<Double> above = serverCpu().map(Figure::values).orElse(List.of());
    List<Double> below = other.serverCpu().map(Figure::values).orElse(List.of());
    if (above.isEmpty() || below.size() != above.size() || below.contains(0.0)) {
      return Optional.empty();
    }
    return Optional.of(
        new Figure(
            "",
            IntStream.range(0, above.size()).mapToObj(i -> above.get(i) / below.get(i)).toList()));
  }

  private Optional<Figure> serverCpu() {
    return ServerCpu.figure(rounds.stream().map(Round::serverCpu).toList());
  }

  Subject subject() {
    Map<String, Figure> figures = new LinkedHashMap<>();
    int workers = setting.crew().workers();
    figures.put(Subject.JOBS_PER_SECOND, figure("jobs/s", Round::jobsPerSecond));
    serverCpu().ifPresent(cpu -> figures.put(Subject.SERVER_CPU, cpu));
    figures.put("per worker", figure("jobs/s", round -> round.jobsPerSecond() / workers));
    figures.put("submits/s", figure("jobs/s", Round::submitsPerSecond));
    Percentiles.put(figures, "claim", rounds.stream().map(Round::claiming).toList());
    Percentiles.put(figures, "completion", rounds.stream().map(Round::completing).toList());
    for (String function : FUNCTIONS) {
      Double mean = profile.functions().get(function);
      if (mean != null) {
        figures.put("server: " + function, Figure.once("ms", mean));
      }
    }
    figures.put("heap after", Figure.once("MB", profile.heapMegabytes()));
    return new Subject(setting.name(), setting.described(), figures);
  }
}
