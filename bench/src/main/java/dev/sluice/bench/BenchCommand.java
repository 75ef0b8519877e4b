package dev.sluice.bench;

import dev.sluice.Spelling;
import dev.sluice.bench.scenario.Plan;
import dev.sluice.bench.scenario.Scenario;
import dev.sluice.bench.scenario.Scenarios;
import dev.sluice.cli.text.Console;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The root of the benchmark commands; by itself it runs the scenarios that are named. */
@Command(
    name = "sluice bench",
    description = "Measures what limits cost, beside the bare SQL and beside the peers.",
    footer = "Exit codes: 0 done; 1 done, and a goal was missed; 2 the command line is wrong.",
    mixinStandardHelpOptions = true,
    subcommands = {
      ListCommand.class,
      GrowthCommand.class,
      PeersCommand.class,
      CompareCommand.class,
      ExplainCommand.class,
      PagesCommand.class
    })
final class BenchCommand implements Callable<Integer> {
  private static final String ALL = "all";

  private final Console console;

  @Spec private CommandSpec spec;

  @Mixin private RunOptions options;

  @Parameters(
      paramLabel = "SCENARIO",
      description = "What to run, or 'all'; 'list' shows what there is.")
  private List<String> names = new ArrayList<>();

  BenchCommand(Console console) {
    this.console = console;
  }

  Console console() {
    return console;
  }

  @Override
  public Integer call() throws InterruptedException {
    if (names.isEmpty()) {
      throw new ParameterException(spec.commandLine(), "Name a scenario or a command");
    }
    List<Scenario> scenarios =
        names.contains(ALL)
            ? Scenarios.all()
            : names.stream().distinct().map(this::scenario).toList();
    return new Run(console, options).measure(String.join(" ", names), Plan.DEFAULT_RUNS, scenarios);
  }

  private Scenario scenario(String name) {
    List<Scenario> all = Scenarios.all();
    return all.stream()
        .filter(scenario -> scenario.name().equals(name))
        .findFirst()
        .orElseThrow(() -> unknown(name, all.stream().map(Scenario::name).toList()));
  }

  private ParameterException unknown(String name, List<String> known) {
    List<String> close = known.stream().filter(each -> Spelling.isClose(name, each)).toList();
    return new ParameterException(
        spec.commandLine(),
        "There is no scenario '%s'. %s"
            .formatted(
                name,
                close.isEmpty()
                    ? "'list' shows what there is"
                    : "The closest are: " + String.join(", ", close)));
  }
}
