package dev.sluice.embedded;

import java.io.IOException;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Optional;
import java.util.Properties;

/**
 * What one process tells the others about the server it started.
 *
 * @param port where the server listens; kept from start to start while it is free
 * @param start a name for this one start, which no other start shares
 */
record ServerState(int port, String start) {

  /** Reads the last written state; empty before the first start. */
  static Optional<ServerState> read(Path file) {
    Properties properties = new Properties();
    try (Reader reader = Files.newBufferedReader(file)) {
      properties.load(reader);
      int port = Integer.parseInt(properties.getProperty("port", ""));
      return Optional.of(new ServerState(port, properties.getProperty("start", "")));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    } catch (NumberFormatException e) {
      // Somebody emptied or edited the file. The port it held is a convenience, not a need.
      return Optional.empty();
    } catch (IOException e) {
      throw new UncheckedIOException("The server's state could not be read from " + file, e);
    }
  }

  /** Writes the state so that a reader sees the old one or the new one, never half of it. */
  void write(Path file) {
    Properties properties = new Properties();
    properties.setProperty("port", Integer.toString(port));
    properties.setProperty("start", start);
    Path draft = file.resolveSibling(file.getFileName() + ".new");
    try {
      try (Writer writer = Files.newBufferedWriter(draft)) {
        properties.store(writer, null);
      }
      Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw new UncheckedIOException("The server's state could not be written to " + file, e);
    }
  }
}
