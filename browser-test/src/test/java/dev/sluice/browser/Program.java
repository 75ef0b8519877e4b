package dev.sluice.browser;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The packaged program in a process of its own, with what it prints in a file. */
final class Program implements AutoCloseable {
  private static final Path JAR =
      Path.of(System.getProperty("sluice.jar", "../cli/target/sluice.jar")).toAbsolutePath();
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private final Process process;
  private final Path output;

  private Program(Process process, Path output) {
    this.process = process;
    this.output = output;
  }

  /**
   * Starts it.
   *
   * @param directory where it runs and its output goes; no configuration of the user's is read
   * @param name of the file for its output
   */
  static Program start(Path directory, String name, List<String> arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-Xmx256m", "-jar", JAR.toString()));
    command.addAll(arguments);
    Path output = directory.resolve(name + ".log");
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(output.toFile()));
    builder.environment().keySet().removeIf(variable -> variable.startsWith("SLUICE_"));
    builder.environment().put("XDG_CONFIG_HOME", directory.toString());
    try {
      return new Program(builder.start(), output);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  boolean isAlive() {
    return process.isAlive();
  }

  /** What it has printed so far. */
  String output() {
    try {
      return Files.readString(output);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Asks it to stop, and sees to it that it does. */
  @Override
  public void close() {
    process.destroy();
    try {
      if (!process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
