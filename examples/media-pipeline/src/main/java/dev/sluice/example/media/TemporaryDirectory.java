package dev.sluice.example.media;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/** A directory that is gone when it is closed. */
record TemporaryDirectory(Path path) implements AutoCloseable {
  static TemporaryDirectory create() throws IOException {
    return new TemporaryDirectory(Files.createTempDirectory("media-pipeline-"));
  }

  /** A directory in it. */
  Path directory(String name) throws IOException {
    return Files.createDirectories(path.resolve(name));
  }

  @Override
  public void close() throws IOException {
    delete(path);
  }

  /** Removes a directory and all that is in it, if it is there. */
  static void delete(Path tree) throws IOException {
    try (Stream<Path> paths = Files.walk(tree)) {
      for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(path);
      }
    } catch (NoSuchFileException alreadyGone) {
      // That is what was asked for.
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }
}
