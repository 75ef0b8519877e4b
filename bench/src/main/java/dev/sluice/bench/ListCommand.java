package dev.sluice.bench;

import dev.sluice.bench.scenario.Scenarios;
import dev.sluice.cli.text.Console;
import dev.sluice.cli.text.Table;
import picocli.CommandLine.Command;
import picocli.CommandLine.ParentCommand;

/** Says which scenarios there are. */
@Command(name = "list", description = "Shows the scenarios.", mixinStandardHelpOptions = true)
final class ListCommand implements Runnable {
  @ParentCommand private BenchCommand parent;

  @Override
  public void run() {
    Console console = parent.console();
    Table table = new Table(console.style()).left("SCENARIO").flexible("WHAT IT DOES");
    Scenarios.all().forEach(scenario -> table.row(scenario.name(), scenario.summary()));
    table.lines(console.tableWidth()).forEach(console.out()::println);
  }
}
