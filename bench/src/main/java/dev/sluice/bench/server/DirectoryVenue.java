package dev.sluice.bench.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Optional;
import java.util.stream.Stream;

/** A store in a temporary directory of its own, removed when it is closed. */
public final class DirectoryVenue implements Venue {
  private final Path directory;

  private DirectoryVenue(Path directory) {
    this.directory = directory;
  }

  /** A new directory where temporary files belong. */
  public static DirectoryVenue create() {
    try {
      return new DirectoryVenue(Files.createTempDirectory("sluice-bench"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public String url() {
    return "file:" + directory;
  }

  /** The kind of file system it is on, such as ext4. */
  public String fileSystem() {
    try {
      return Files.getFileStore(directory).type();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Nothing to do: the store leaves no garbage of its own. */
  @Override
  public void settle() {}

  @Override
  public Optional<FunctionTimer> startTimer() {
    return Optional.empty();
  }

  @Override
  public void close() {
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
