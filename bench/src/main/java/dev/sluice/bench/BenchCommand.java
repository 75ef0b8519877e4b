package dev.sluice.bench;

import dev.sluice.cli.text.Console;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The root of the benchmark commands. */
@Command(
    name = "sluice bench",
    description = "Measures what limits cost, beside the bare SQL and beside the peers.",
    mixinStandardHelpOptions = true,
    subcommands = {PeersCommand.class})
final class BenchCommand implements Runnable {
  private final Console console;

  @Spec private CommandSpec spec;

  BenchCommand(Console console) {
    this.console = console;
  }

  Console console() {
    return console;
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "Name a scenario or a command");
  }
}
