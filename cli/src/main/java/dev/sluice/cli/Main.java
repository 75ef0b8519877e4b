package dev.sluice.cli;

import dev.sluice.cli.text.Console;
import picocli.CommandLine;

/** The program: parses the arguments, runs the subcommand and ends with its exit code. */
public final class Main {
  private Main() {}

  public static void main(String[] args) {
    int exitCode = run(Console.system(), Arguments.asTyped(args));
    System.out.flush();
    System.err.flush();
    // Not only a return: a library's forgotten thread must not keep the process alive.
    System.exit(exitCode);
  }

  /** Runs one command line and returns its exit code. */
  static int run(Console console, String... args) {
    return commandLine(console).execute(args);
  }

  static CommandLine commandLine(Console console) {
    SluiceCommand root = new SluiceCommand(console);
    ErrorMessages errors = new ErrorMessages(root);
    CommandLine commandLine =
        new CommandLine(root, new CommandFactory(root))
            .setOut(console.out())
            .setErr(console.err())
            .setColorScheme(
                CommandLine.Help.defaultColorScheme(
                    console.colour() ? CommandLine.Help.Ansi.ON : CommandLine.Help.Ansi.OFF))
            .setCaseInsensitiveEnumValuesAllowed(true)
            .setUsageHelpAutoWidth(false)
            .setUsageHelpWidth(100)
            // An abbreviated --lim would change its meaning when a new option is added.
            .setAbbreviatedOptionsAllowed(false)
            // --payload @FILE is ours.
            .setExpandAtFiles(false)
            .setParameterExceptionHandler(errors)
            .setExecutionExceptionHandler(errors);
    Converters.register(commandLine);
    return commandLine;
  }
}
