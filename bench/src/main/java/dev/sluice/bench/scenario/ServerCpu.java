package dev.sluice.bench.scenario;

import dev.sluice.bench.report.Figure;
import dev.sluice.bench.report.Subject;
import dev.sluice.bench.server.CpuTime;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What a server spent on a job, as a figure. */
public final class ServerCpu {
  private static final String UNIT = "µs";

  private ServerCpu() {}

  /** The figure of some rounds. */
  public static Figure of(List<CpuTime> rounds) {
    return Figure.ifKnown(UNIT, rounds.stream().map(CpuTime::microsPerJob).toList());
  }

  /** The figure of some rounds; empty if there was no server. */
  static Optional<Figure> figure(List<Optional<CpuTime>> rounds) {
    return rounds.stream().allMatch(Optional::isPresent)
        ? Optional.of(of(rounds.stream().map(Optional::orElseThrow).toList()))
        : Optional.empty();
  }

  /** Adds the figure to those of a subject, if there was a server. */
  static void put(Map<String, Figure> figures, List<Optional<CpuTime>> rounds) {
    figure(rounds).ifPresent(figure -> figures.put(Subject.SERVER_CPU, figure));
  }
}
