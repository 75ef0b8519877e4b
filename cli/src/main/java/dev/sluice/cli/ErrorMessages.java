package dev.sluice.cli;

import dev.sluice.InvalidRequestException;
import dev.sluice.LimitReachedException;
import dev.sluice.SluiceException;
import dev.sluice.Spelling;
import dev.sluice.StoreIncompatibleException;
import dev.sluice.StoreUnavailableException;
import dev.sluice.cli.exec.MissingToolException;
import dev.sluice.cli.text.Printable;
import java.util.List;
import java.util.regex.Pattern;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** Turns whatever went wrong into a remark on standard error and an exit code. */
final class ErrorMessages
    implements CommandLine.IParameterExceptionHandler, CommandLine.IExecutionExceptionHandler {
  private static final int LONGEST_ARGUMENT = 80;

  /** What picocli puts before the messages of converters, which name the value themselves. */
  private static final Pattern INVALID_PARAMETER =
      Pattern.compile("^Invalid value for positional parameter at index \\d+ \\([^)]*\\): ");

  private static final Pattern INVALID_OPTION =
      Pattern.compile("^Invalid value for option '([^']*)'(?: \\([^)]*\\))?: ");

  private final SluiceCommand root;

  ErrorMessages(SluiceCommand root) {
    this.root = root;
  }

  @Override
  public int handleParseException(ParameterException e, String[] args) {
    CommandLine command = e.getCommandLine();
    print(
        "%s Try '%s --help'."
            .formatted(asSentence(message(e)), command.getCommandSpec().qualifiedName()));
    trace(e);
    return ExitCode.USAGE;
  }

  private static String message(ParameterException e) {
    if (e instanceof UnmatchedArgumentException unmatched && !unmatched.getUnmatched().isEmpty()) {
      String argument = shortened(unmatched.getUnmatched().get(0));
      String parent = e.getCommandLine().getCommandSpec().qualifiedName();
      boolean takesCommand =
          !e.getCommandLine().getSubcommands().isEmpty() && !unmatched.isUnknownOption();
      String complaint =
          takesCommand
              ? "'%s' is not a command of %s.".formatted(argument, parent)
              : unmatched.isUnknownOption()
                  ? "'%s' has no option '%s'.".formatted(parent, argument)
                  : "'%s' takes no argument '%s'.".formatted(parent, argument);
      List<String> suggestions =
          unmatched.getSuggestions().stream()
              .filter(known -> Spelling.isClose(argument.replaceFirst("=.*", ""), known))
              .toList();
      return suggestions.isEmpty() || !(takesCommand || unmatched.isUnknownOption())
          ? complaint
          : complaint + " Did you mean " + String.join(" or ", suggestions) + "?";
    }
    return INVALID_OPTION
        .matcher(INVALID_PARAMETER.matcher(e.getMessage()).replaceFirst(""))
        .replaceFirst("$1: ")
        .replaceFirst("^Error: ", "");
  }

  @Override
  public int handleExecutionException(
      Exception e, CommandLine command, CommandLine.ParseResult parsed) {
    print(e instanceof SluiceException ? asSentence(e.getMessage()) : internal(e));
    trace(e);
    return exitCode(e);
  }

  private static int exitCode(Exception e) {
    if (e instanceof InvalidRequestException) {
      return ExitCode.USAGE;
    } else if (e instanceof StoreUnavailableException
        || e instanceof StoreIncompatibleException
        || e instanceof AddressTakenException
        || e instanceof MissingToolException) {
      return ExitCode.UNAVAILABLE;
    } else if (e instanceof LimitReachedException) {
      return ExitCode.NEGATIVE;
    }
    return ExitCode.INTERNAL;
  }

  private static String internal(Exception e) {
    return "internal error: "
        + e.getClass().getSimpleName()
        + (e.getMessage() == null ? "" : ": " + e.getMessage())
        + ". Run again with --debug for the details.";
  }

  private void print(String message) {
    root.console().err().println("sluice: " + Printable.message(message));
  }

  private void trace(Exception e) {
    if (root.debug()) {
      e.printStackTrace(root.console().err());
    }
  }

  private static String asSentence(String message) {
    if (message == null || message.isBlank()) {
      return "unknown error.";
    }
    String stripped = message.strip();
    char last = stripped.charAt(stripped.length() - 1);
    return ".!?".indexOf(last) >= 0 ? stripped : stripped + ".";
  }

  private static String shortened(String argument) {
    return argument.length() > LONGEST_ARGUMENT
        ? argument.substring(0, LONGEST_ARGUMENT) + "…"
        : argument;
  }
}
