package dev.sluice.bench;

import dev.sluice.bench.report.BenchDocs;
import dev.sluice.bench.report.Machine;
import dev.sluice.bench.report.Report;
import dev.sluice.bench.report.ReportFile;
import dev.sluice.bench.report.ReportTable;
import dev.sluice.bench.report.Section;
import dev.sluice.bench.report.Subject;
import dev.sluice.bench.report.Verdict;
import dev.sluice.bench.scenario.Bench;
import dev.sluice.bench.scenario.Plan;
import dev.sluice.bench.scenario.Scenario;
import dev.sluice.bench.server.BenchServer;
import dev.sluice.cli.text.Console;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** One run of the benchmarks: opens the server, measures, and shows what was found. */
final class Run {
  private static final int DISAPPOINTED = 1;

  private final Console console;
  private final RunOptions options;

  Run(Console console, RunOptions options) {
    this.console = console;
    this.options = options;
  }

  /**
   * Runs scenarios and writes what was asked for.
   *
   * @param what the words that name them on the command line
   * @param defaultRuns how many rounds if nobody says
   * @return the exit code
   */
  int measure(String what, int defaultRuns, List<Scenario> scenarios) throws InterruptedException {
    options.requireWritable();
    String command = options.command(what);
    options
        .docs()
        .ifPresent(directory -> new BenchDocs(directory).requireNothingLost(byFamily(scenarios)));
    Instant startedAt = Instant.now();
    ReportTable table = new ReportTable(console);
    Map<String, List<Section>> families = new LinkedHashMap<>();
    Map<String, String> machine;
    Plan plan = options.plan(defaultRuns);
    Optional<BenchServer> server =
        scenarios.stream().anyMatch(Scenario::onPostgres)
            ? Optional.of(BenchServer.open(options.store()))
            : Optional.empty();
    try {
      machine = Machine.describe(server.map(BenchServer::settings).orElse(Map.of()));
      Bench bench = new Bench(server, plan, new ConsoleProgress(console));
      if (server.isPresent()) {
        bench.warmUp();
      }
      for (Scenario scenario : scenarios) {
        Section section = scenario.run(bench);
        table.print(section);
        families.computeIfAbsent(scenario.family(), any -> new ArrayList<>()).add(section);
        // Each time, so that a run that does not come to its end leaves what it has measured.
        Report soFar = new Report(command, startedAt, machine, sections(families));
        options.json().ifPresent(file -> ReportFile.write(file, soFar));
      }
    } finally {
      server.ifPresent(BenchServer::close);
    }
    options
        .docs()
        .ifPresent(
            directory ->
                families.forEach(
                    (family, found) ->
                        new BenchDocs(directory)
                            .write(family, new Report(command, startedAt, machine, found))));
    return sections(families).stream().anyMatch(Run::disappoints) ? DISAPPOINTED : 0;
  }

  private static List<Section> sections(Map<String, List<Section>> families) {
    return families.values().stream().flatMap(List::stream).toList();
  }

  private static Map<String, List<String>> byFamily(List<Scenario> scenarios) {
    return scenarios.stream()
        .collect(
            Collectors.groupingBy(
                Scenario::family, Collectors.mapping(Scenario::name, Collectors.toList())));
  }

  private static boolean disappoints(Section section) {
    return section.subjects().stream().anyMatch(Subject::failed)
        || section.ratios().stream().anyMatch(ratio -> Verdict.of(ratio) == Verdict.MISSED);
  }
}
