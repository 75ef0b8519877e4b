package dev.sluice.bench;

import dev.sluice.InvalidRequestException;
import dev.sluice.SluiceException;
import dev.sluice.cli.text.Console;
import picocli.CommandLine;

/** The program behind {@code ./sluice bench}. */
public final class BenchMain {
  private static final int USAGE = 2;
  private static final int UNAVAILABLE = 69;
  private static final int INTERNAL = 70;

  private BenchMain() {}

  public static void main(String[] arguments) {
    int exitCode = run(Console.system(), arguments);
    // Not only a return: a peer's forgotten thread must not keep the process alive.
    System.exit(exitCode);
  }

  static int run(Console console, String... arguments) {
    return new CommandLine(new BenchCommand(console))
        .setOut(console.out())
        .setErr(console.err())
        .setAbbreviatedOptionsAllowed(false)
        .setCaseInsensitiveEnumValuesAllowed(true)
        .setParameterExceptionHandler(
            (e, args) -> {
              console.err().println("sluice bench: " + e.getMessage() + ". Try --help.");
              return USAGE;
            })
        .setExecutionExceptionHandler(
            (e, command, parsed) -> {
              if (e instanceof SluiceException) {
                console.err().println("sluice bench: " + e.getMessage());
                return e instanceof InvalidRequestException ? USAGE : UNAVAILABLE;
              }
              e.printStackTrace(console.err());
              return INTERNAL;
            })
        .execute(arguments);
  }
}
