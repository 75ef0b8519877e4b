package dev.sluice.cli;

import dev.sluice.cli.config.Surroundings;
import dev.sluice.cli.text.Console;
import java.util.logging.Level;
import java.util.logging.Logger;
import picocli.CommandLine;

/** The program: parses the arguments, runs the subcommand and ends with its exit code. */
public final class Main {
  private static final int WIDEST_HELP = 100;

  /** The least that picocli can do with. */
  private static final int NARROWEST_HELP = 55;

  /** Held, because the JDK forgets loggers that nobody holds, and what was set on them. */
  private static final Logger DRIVER = Logger.getLogger("org.postgresql");

  private Main() {}

  public static void main(String[] args) {
    // Its warnings quote URLs with all that is in them; what matters comes as an exception.
    DRIVER.setLevel(Level.OFF);
    int exitCode = run(Console.system(), Surroundings.ofProcess(), Arguments.asTyped(args));
    System.out.flush();
    System.err.flush();
    // Not only a return: a library's forgotten thread must not keep the process alive.
    System.exit(exitCode);
  }

  /** Runs one command line and returns its exit code. */
  static int run(Console console, Surroundings surroundings, String... args) {
    return commandLine(console, surroundings).execute(args);
  }

  static CommandLine commandLine(Console console, Surroundings surroundings) {
    SluiceCommand root = new SluiceCommand(console, surroundings);
    ErrorMessages errors = new ErrorMessages(root);
    CommandLine commandLine =
        new CommandLine(root, new CommandFactory(root))
            .setOut(console.out())
            .setErr(console.err())
            .setColorScheme(
                CommandLine.Help.defaultColorScheme(
                    console.colour() ? CommandLine.Help.Ansi.ON : CommandLine.Help.Ansi.OFF))
            .setCaseInsensitiveEnumValuesAllowed(true)
            .setHelpFactory((spec, scheme) -> help(console, spec, scheme))
            // An abbreviated --lim would change its meaning when a new option is added.
            .setAbbreviatedOptionsAllowed(false)
            // --payload @FILE is ours.
            .setExpandAtFiles(false)
            .setParameterExceptionHandler(errors)
            .setExecutionExceptionHandler(errors);
    Converters.register(commandLine);
    return commandLine;
  }

  /** As wide as the terminal, which is asked only now that help is wanted, within bounds. */
  private static CommandLine.Help help(
      Console console, CommandLine.Model.CommandSpec spec, CommandLine.Help.ColorScheme scheme) {
    int width = Math.min(WIDEST_HELP, console.terminal().width());
    spec.usageMessage().autoWidth(false).width(Math.max(NARROWEST_HELP, width));
    return new CommandLine.Help(spec, scheme);
  }
}
