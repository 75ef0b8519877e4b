package dev.sluice.bench.peers;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * A program that runs to its end in a process of its own and says what it found on its last line.
 * Its standard input stays open as long as this process lives, so that it can notice the end of it.
 */
final class ChildProgram {
  private final Path directory;
  private final List<String> command;

  ChildProgram(Path directory, String... command) {
    this.directory = directory;
    this.command = List.of(command);
  }

  /**
   * Runs it and returns the last line of its output, empty if it printed nothing. An interrupt ends
   * it.
   *
   * @param name what the file of its errors is named after
   * @param environment added to this process's own
   * @throws ChildFailedException if it exits with anything but 0
   */
  String run(String name, Map<String, String> environment)
      throws IOException, InterruptedException {
    File output = directory.resolve(name + ".out").toFile();
    File errors = directory.resolve(name + ".log").toFile();
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(directory.toFile())
            .redirectOutput(output)
            .redirectError(errors);
    builder.environment().putAll(environment);
    Process process = builder.start();
    try {
      int exitCode = process.waitFor();
      if (exitCode != 0) {
        throw new ChildFailedException(
            "%s ended with code %d: %s"
                .formatted(command.get(0), exitCode, complaint(errors.toPath())));
      }
      return lastLine(output.toPath());
    } finally {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly().waitFor(10, TimeUnit.SECONDS);
    }
  }

  private static String lastLine(Path file) throws IOException {
    List<String> lines = Files.readAllLines(file, StandardCharsets.UTF_8);
    return lines.isEmpty() ? "" : lines.get(lines.size() - 1);
  }

  /** Of what it complained about, the line that says most. */
  private static String complaint(Path file) throws IOException {
    List<String> lines =
        Files.readAllLines(file, StandardCharsets.UTF_8).stream()
            .map(String::strip)
            .filter(line -> !line.isEmpty())
            .toList();
    return lines.stream()
        .filter(line -> line.contains("Error") || line.contains("error"))
        .findFirst()
        .or(() -> lines.stream().findFirst())
        .map(line -> line + " (more in " + file + ")")
        .orElse("it said nothing");
  }
}
