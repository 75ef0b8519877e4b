package dev.sluice.cli;

import dev.sluice.cli.config.Surroundings;
import dev.sluice.cli.text.Console;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** One run of a command line inside the test's own process: what it printed and how it ended. */
record Run(int exitCode, String out, String err) {
  private static final Path NOWHERE = Path.of("target", "nowhere").toAbsolutePath();

  /** In an empty directory, with nothing in the environment. */
  static Run of(String... args) {
    return in(new Surroundings(Map.of(), NOWHERE, NOWHERE), args);
  }

  static Run in(Surroundings surroundings, String... args) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    int exitCode = Main.run(Console.plain(out, err), surroundings, args);
    return new Run(
        exitCode, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
  }

  List<String> lines() {
    return out.lines().toList();
  }
}
