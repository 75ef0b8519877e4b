package dev.sluice.bench.report;

import dev.sluice.InvalidRequestException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Files that people asked for by name. */
public final class TextFile {
  private TextFile() {}

  /**
   * Writes a file as UTF-8, and makes the directories above it.
   *
   * @throws InvalidRequestException if that fails
   */
  public static void write(Path file, String text) {
    try {
      Path directory = file.toAbsolutePath().getParent();
      if (directory != null) {
        Files.createDirectories(directory);
      }
      Files.writeString(file, text);
    } catch (IOException e) {
      throw new InvalidRequestException(
          "%s cannot be written (%s). Name a place where it can.".formatted(file, e), e);
    }
  }
}
