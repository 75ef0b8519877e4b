package dev.sluice.cli;

import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Prints a completion script for a shell. */
@Command(
    name = "completion",
    description = "Print a completion script for bash, zsh or fish.",
    footer = {
      "Examples:",
      "  source <(sluice completion bash)      in ~/.bashrc",
      "  source <(sluice completion zsh)       in ~/.zshrc, after compinit",
      "  sluice completion fish > ~/.config/fish/completions/sluice.fish"
    })
final class CompletionCommand implements Runnable {
  /** The shells. */
  enum Shell {
    BASH,
    ZSH,
    FISH;

    @Override
    public String toString() {
      return name().toLowerCase(java.util.Locale.ROOT);
    }
  }

  private final SluiceCommand root;

  @Parameters(
      paramLabel = "SHELL",
      arity = "0..1",
      description = "One of ${COMPLETION-CANDIDATES}. Default: bash")
  private Shell shell = Shell.BASH;

  CompletionCommand(SluiceCommand root) {
    this.root = root;
  }

  @Override
  public void run() {
    CommandLine commandLine = Main.commandLine(root.console(), root.surroundings());
    switch (shell) {
      case BASH -> root.say(AutoComplete.bash("sluice", commandLine));
      // The same script: it brings zsh's emulation of bash's completion into play by itself.
      case ZSH -> root.say("#compdef sluice\n" + AutoComplete.bash("sluice", commandLine));
      case FISH -> new FishCompletion(commandLine).lines().forEach(root::say);
    }
  }
}
