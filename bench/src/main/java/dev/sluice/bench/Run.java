package dev.sluice.bench;

import dev.sluice.bench.report.Figure;
import dev.sluice.bench.report.Ratio;
import dev.sluice.bench.report.Report;
import dev.sluice.bench.report.Section;
import dev.sluice.bench.scenario.Bench;
import dev.sluice.bench.scenario.Plan;
import dev.sluice.bench.scenario.Scenario;
import dev.sluice.bench.server.BenchServer;
import dev.sluice.cli.text.Console;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** One run of the benchmarks: opens the server, measures, and shows what was found. */
final class Run {
  private static final int GOAL_MISSED = 1;

  private final Console console;
  private final RunOptions options;
  private final String command;

  Run(Console console, RunOptions options, String command) {
    this.console = console;
    this.options = options;
    this.command = command;
  }

  /** Runs scenarios and returns the exit code. */
  int measure(Plan plan, List<Scenario> scenarios) throws InterruptedException {
    Instant startedAt = Instant.now();
    List<Section> sections = new ArrayList<>();
    Report report;
    try (BenchServer server = BenchServer.open(options.store())) {
      Bench bench = new Bench(server, plan, new ConsoleProgress(console));
      for (Scenario scenario : scenarios) {
        Section section = scenario.run(bench);
        print(section);
        sections.add(section);
      }
      report = new Report(command, startedAt, server.settings(), sections);
    }
    return report.sections().stream().allMatch(Run::reachesGoals) ? 0 : GOAL_MISSED;
  }

  private void print(Section section) {
    console.out().println(section.name());
    section
        .subjects()
        .forEach(
            subject -> {
              console.out().println("  " + subject.name());
              subject.figures().forEach((name, figure) -> print(name, figure));
            });
    section.ratios().forEach(ratio -> print(ratio.name(), ratio.value()));
    section.remarks().forEach(remark -> console.out().println("  " + remark));
  }

  private void print(String name, Figure figure) {
    console
        .out()
        .printf("    %s: %.3f %s %s%n", name, figure.median(), figure.unit(), figure.values());
  }

  private static boolean reachesGoals(Section section) {
    return section.ratios().stream().allMatch(Run::reachesGoal);
  }

  private static boolean reachesGoal(Ratio ratio) {
    return ratio.goal().map(goal -> goal.reached(ratio.value().median())).orElse(true);
  }
}
