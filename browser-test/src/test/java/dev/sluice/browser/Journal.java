package dev.sluice.browser;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * What handlers write down when they begin and when they end: the truth about who runs at once, and
 * no part of Sluice has a say in it. A handler that was told to wait does not end before {@link
 * #open}.
 */
final class Journal {
  private final Path file;
  private final Path gate;

  Journal(Path directory) {
    file = directory.resolve("journal");
    gate = directory.resolve("gate");
    try {
      Files.createFile(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A shell command that writes itself down and waits until the gate is open. */
  String waitingCommand() {
    return "echo '+' >> '%1$s'; until [ -e '%2$s' ]; do sleep 0.05; done; echo '-' >> '%1$s'"
        .formatted(file, gate);
  }

  /** How many handlers run right now. */
  int running() {
    return lines().stream().mapToInt(line -> line.equals("+") ? 1 : -1).sum();
  }

  /** How many have begun so far. */
  long begun() {
    return lines().stream().filter("+"::equals).count();
  }

  /** The most that ever ran at once. */
  int peak() {
    int running = 0;
    int peak = 0;
    for (String line : lines()) {
      running += line.equals("+") ? 1 : -1;
      peak = Math.max(peak, running);
    }
    return peak;
  }

  /** Lets handlers end. */
  void open() {
    try {
      Files.writeString(gate, "");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Has handlers wait again. */
  void shut() {
    try {
      Files.deleteIfExists(gate);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private List<String> lines() {
    try {
      return Files.readAllLines(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
