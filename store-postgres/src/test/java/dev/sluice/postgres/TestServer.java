package dev.sluice.postgres;

import dev.sluice.embedded.EmbeddedPostgres;
import dev.sluice.embedded.EmbeddedPostgresOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * The PostgreSQL all integration tests of this module share: the one that {@code
 * SLUICE_TEST_POSTGRES_URL} names, or an embedded one under {@code target}, started with the first
 * test class and stopped after the last.
 */
final class TestServer implements BeforeAllCallback {
  /** Where the tests find a server of their own; unset = an embedded one. */
  static final String URL_VARIABLE = "SLUICE_TEST_POSTGRES_URL";

  private static final ExtensionContext.Namespace NAMESPACE =
      ExtensionContext.Namespace.create(TestServer.class);
  private static volatile String url;

  @Override
  public void beforeAll(ExtensionContext context) {
    String given = System.getenv(URL_VARIABLE);
    if (given != null && !given.isBlank()) {
      url = given;
      return;
    }
    Embedded embedded =
        context
            .getRoot()
            .getStore(NAMESPACE)
            .computeIfAbsent("embedded", key -> new Embedded(), Embedded.class);
    url = embedded.url();
  }

  /** The server's URL, credentials included; for environment variables, never for messages. */
  static String url() {
    return url;
  }

  static Connection openConnection() throws SQLException {
    PostgresUrl parsed = PostgresUrl.parse(url);
    return parsed.user() == null
        ? DriverManager.getConnection(parsed.jdbcUrl())
        : DriverManager.getConnection(parsed.jdbcUrl(), parsed.user(), parsed.password());
  }

  private static final class Embedded implements AutoCloseable {
    private final EmbeddedPostgres server =
        EmbeddedPostgres.join(
            Path.of("target", "postgres"),
            EmbeddedPostgresOptions.defaults().withSetting("max_connections", "200"));

    String url() {
      try {
        String[] line =
            Files.readString(server.dataDirectory().resolve("pgpass")).strip().split(":");
        return "postgresql://%s:%s@127.0.0.1:%d/postgres"
            .formatted(line[3], line[4], server.port());
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    @Override
    public void close() {
      server.close();
    }
  }
}
