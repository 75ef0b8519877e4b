package dev.sluice.postgres;

import dev.sluice.embedded.EmbeddedPostgres;
import dev.sluice.embedded.EmbeddedPostgresOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A PostgreSQL that integration tests of this module share, started with the first test class that
 * needs it and stopped after the last.
 *
 * <p>The newest version has a database whose collation passes over punctuation, as unlike that of
 * bytes as one can be; the old one has the collation of bytes.
 */
final class TestServer implements BeforeAllCallback {
  /** Where the tests find a server of their own; unset = an embedded one of the newest version. */
  static final String URL_VARIABLE = "SLUICE_TEST_POSTGRES_URL";

  /** The server that {@value #URL_VARIABLE} names, or an embedded one of the newest version. */
  static final TestServer CURRENT = new TestServer("postgres", System.getenv(URL_VARIABLE));

  /**
   * An embedded server of an old version, from binaries that the build puts beside the class path.
   */
  static final TestServer OLD = new TestServer("postgres-old", null);

  private static final String COLLATED = "collated";
  private static final String CREATE_COLLATED =
      "CREATE DATABASE collated TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'en-US-u-ka-shifted'";
  private static final String DUPLICATE_DATABASE = "42P04";

  private static final ExtensionContext.Namespace NAMESPACE =
      ExtensionContext.Namespace.create(TestServer.class);

  private final String directory;
  private final String given;
  private volatile String url;

  private TestServer(String directory, String given) {
    this.directory = directory;
    this.given = given;
  }

  @Override
  public void beforeAll(ExtensionContext context) {
    url =
        given != null && !given.isBlank()
            ? given
            : context
                .getRoot()
                .getStore(NAMESPACE)
                .computeIfAbsent(
                    directory, key -> new Embedded(key, options(), this != OLD), Embedded.class)
                .url(this == OLD ? "postgres" : COLLATED);
  }

  private EmbeddedPostgresOptions options() {
    EmbeddedPostgresOptions options =
        EmbeddedPostgresOptions.defaults()
            .withSetting("max_connections", "200")
            // The tests on it kill workers, never this server, and no data outlives them.
            .withSetting("fsync", "off");
    return this == OLD ? options.withBinaries(oldBinaries()) : options;
  }

  private static URL oldBinaries() {
    String jar = System.getProperty("sluice.test.old.binaries");
    try {
      return new URL("jar:" + Path.of(jar).toUri() + "!/postgres-linux-x86_64.txz");
    } catch (MalformedURLException e) {
      throw new IllegalStateException(jar + " cannot be read", e);
    }
  }

  /** The server's URL, credentials included; for environment variables, never for messages. */
  String url() {
    return url;
  }

  Connection openConnection() throws SQLException {
    return connect(url);
  }

  private static Connection connect(String url) throws SQLException {
    PostgresUrl parsed = PostgresUrl.parse(url);
    return parsed.user() == null
        ? DriverManager.getConnection(parsed.jdbcUrl())
        : DriverManager.getConnection(parsed.jdbcUrl(), parsed.user(), parsed.password());
  }

  private static final class Embedded implements AutoCloseable {
    private final EmbeddedPostgres server;

    Embedded(String directory, EmbeddedPostgresOptions options, boolean collated) {
      server = EmbeddedPostgres.join(Path.of("target", directory), options);
      try (Connection connection = connect(url("postgres"));
          Statement statement = connection.createStatement()) {
        askForNoPassword(statement);
        if (collated) {
          createCollated(statement);
        }
      } catch (SQLException | IOException e) {
        throw new IllegalStateException("The server could not be made ready", e);
      }
    }

    /**
     * To prove that one knows the password takes more CPU than most tests do, and they connect
     * thousands of times. Until the tests end, every user of the machine can connect to their
     * server as its owner; as other users, only with a password.
     */
    private static void askForNoPassword(Statement statement) throws SQLException, IOException {
      try (ResultSet row =
          statement.executeQuery("SELECT current_setting('hba_file'), current_user")) {
        row.next();
        String trusted = "host all %s 127.0.0.1/32 trust%n".formatted(row.getString(2));
        String others = "host all all 127.0.0.1/32 scram-sha-256%n".formatted();
        Files.writeString(Path.of(row.getString(1)), trusted + others);
      }
      statement.execute("SELECT pg_reload_conf()");
    }

    private static void createCollated(Statement statement) throws SQLException {
      try {
        statement.execute(CREATE_COLLATED);
      } catch (SQLException e) {
        if (!DUPLICATE_DATABASE.equals(e.getSQLState())) {
          throw e;
        }
      }
    }

    String url(String database) {
      try {
        String[] line =
            Files.readString(server.dataDirectory().resolve("pgpass")).strip().split(":");
        return "postgresql://%s:%s@127.0.0.1:%d/%s"
            .formatted(line[3], line[4], server.port(), database);
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
