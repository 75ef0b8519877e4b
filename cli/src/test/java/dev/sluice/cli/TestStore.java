package dev.sluice.cli;

import dev.sluice.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The real store of the tests: one embedded server for the whole run, which stays up because this
 * class has joined it, and a schema for each test class.
 */
final class TestStore {
  private static final EmbeddedPostgres SERVER = EmbeddedPostgres.join(directory());

  private TestStore() {}

  private static Path directory() {
    try {
      return Files.createDirectories(Path.of("target")).resolve("test-postgres").toAbsolutePath();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static String url() {
    return "embedded:" + SERVER.dataDirectory();
  }

  static int port() {
    return SERVER.port();
  }

  /** The arguments with the store's before them, and a schema named after the test. */
  static String[] with(Class<?> test, String... args) {
    List<String> all = new ArrayList<>();
    all.addAll(List.of("--store", url(), "--schema", schema(test)));
    all.addAll(List.of(args));
    return all.toArray(new String[0]);
  }

  private static String schema(Class<?> test) {
    return "cli_"
        + test.getSimpleName().toLowerCase(Locale.ROOT)
        + "_"
        + ProcessHandle.current().pid();
  }
}
