package dev.sluice.cli;

import dev.sluice.Group;
import dev.sluice.JobState;
import dev.sluice.SluiceException;
import dev.sluice.cli.text.Durations;
import dev.sluice.workflow.RunState;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.UUID;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** How arguments become values, with messages that say what is allowed. */
final class Converters {
  private static final int UUID_LENGTH = 36;

  private Converters() {}

  static void register(CommandLine commandLine) {
    commandLine.registerConverter(Duration.class, refusing(Durations::parse));
    commandLine.registerConverter(Group.class, refusing(Group::parse));
    commandLine.registerConverter(HostPort.class, refusing(HostPort::parse));
    commandLine.registerConverter(Integer.class, Converters::number);
    commandLine.registerConverter(int.class, Converters::number);
    commandLine.registerConverter(UUID.class, Converters::jobId);
    commandLine.registerConverter(JobState.class, Converters::state);
    commandLine.registerConverter(RunState.class, Converters::runState);
    commandLine.registerConverter(CompletionCommand.Shell.class, Converters::shell);
  }

  /** A converter whose own message reaches the user; picocli would wrap any other exception. */
  private static <T> ITypeConverter<T> refusing(ITypeConverter<T> converter) {
    return text -> {
      try {
        return converter.convert(text);
      } catch (SluiceException | IllegalArgumentException e) {
        throw new TypeConversionException(e.getMessage());
      }
    };
  }

  /**
   * A whole number.
   *
   * @throws TypeConversionException if it is none, or is out of range
   */
  static int number(String text) {
    try {
      return Integer.parseInt(text);
    } catch (NumberFormatException e) {
      String shown = text.length() > 40 ? text.substring(0, 40) + "…" : text;
      throw new TypeConversionException(
          text.matches("[-+]?[0-9]+")
              ? "'%s' is out of range; whole numbers go from %d to %d."
                  .formatted(shown, Integer.MIN_VALUE, Integer.MAX_VALUE)
              : "'%s' is not a whole number.".formatted(shown));
    }
  }

  private static UUID jobId(String text) {
    try {
      if (text.length() == UUID_LENGTH) {
        return UUID.fromString(text);
      }
    } catch (IllegalArgumentException e) {
      // Said below, together with ids of a wrong length.
    }
    throw new TypeConversionException(
        "'%s' is not a job id. Ids look like 01890a5d-ac96-774b-bcce-b302099a8057; see 'sluice jobs list'."
            .formatted(text.length() > 80 ? text.substring(0, 80) + "…" : text));
  }

  private static CompletionCommand.Shell shell(String text) {
    try {
      return CompletionCommand.Shell.valueOf(text.toUpperCase(Locale.ROOT));
    } catch (IllegalArgumentException e) {
      throw new TypeConversionException(
          "No completion is written for '%s'. Shells: bash, zsh, fish.".formatted(text));
    }
  }

  private static RunState runState(String text) {
    try {
      return RunState.valueOf(text.toUpperCase(Locale.ROOT));
    } catch (IllegalArgumentException e) {
      throw new TypeConversionException(
          "'%s' is not a state of a run. States: %s."
              .formatted(
                  text,
                  Arrays.stream(RunState.values())
                      .map(RunState::toString)
                      .collect(Collectors.joining(", "))));
    }
  }

  private static JobState state(String text) {
    try {
      return JobState.valueOf(text.toUpperCase(Locale.ROOT));
    } catch (IllegalArgumentException e) {
      throw new TypeConversionException(
          "'%s' is not a job state. States: %s."
              .formatted(
                  text,
                  Arrays.stream(JobState.values())
                      .map(JobState::toString)
                      .collect(Collectors.joining(", "))));
    }
  }
}
