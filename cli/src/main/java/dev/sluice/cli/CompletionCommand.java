package dev.sluice.cli;

import picocli.AutoComplete;
import picocli.CommandLine.Command;

/** Prints a completion script for bash and zsh. */
@Command(
    name = "completion",
    description = "Print a completion script for bash and zsh.",
    footer = {"Example:", "  source <(sluice completion)"})
final class CompletionCommand implements Runnable {
  private final SluiceCommand root;

  CompletionCommand(SluiceCommand root) {
    this.root = root;
  }

  @Override
  public void run() {
    root.say(AutoComplete.bash("sluice", Main.commandLine(root.console())));
  }
}
