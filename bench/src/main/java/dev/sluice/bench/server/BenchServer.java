package dev.sluice.bench.server;

import dev.sluice.InvalidRequestException;
import dev.sluice.StoreUnavailableException;
import dev.sluice.embedded.EmbeddedPostgres;
import dev.sluice.embedded.EmbeddedPostgresOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;

/**
 * The PostgreSQL that a run measures on: the one that was named, or an embedded one in a temporary
 * directory that goes with the run. Every durability setting of the embedded one is PostgreSQL's
 * default; it only gets more memory and fewer checkpoints, the same for everybody measured on it.
 */
public final class BenchServer implements AutoCloseable {
  /** Settings whose value says something about the figures. */
  private static final List<String> TELLING =
      List.of(
          "server_version",
          "fsync",
          "synchronous_commit",
          "full_page_writes",
          "shared_buffers",
          "max_wal_size",
          "wal_buffers",
          "max_connections");

  private final Endpoint endpoint;
  private final EmbeddedPostgres embedded;
  private final Path directory;
  private final CpuClock cpu;
  private final AtomicBoolean closed = new AtomicBoolean();

  private BenchServer(Endpoint endpoint, EmbeddedPostgres embedded, Path directory) {
    this.endpoint = endpoint;
    this.embedded = embedded;
    this.directory = directory;
    this.cpu = CpuClock.of(endpoint);
  }

  /** The server at this URL, or an embedded one if it is {@code embedded:}. */
  public static BenchServer open(String url) {
    if (url.equals("embedded:")) {
      return embedded();
    }
    if (!url.startsWith("postgresql://")) {
      throw new InvalidRequestException(
          "Benchmarks run on embedded: or on postgresql://user@host/database.");
    }
    BenchServer server = new BenchServer(Endpoint.parse(url), null, null);
    try (Connection connection = server.endpoint().connect()) {
      return server;
    } catch (SQLException e) {
      throw new StoreUnavailableException(
          "The server for the benchmarks cannot be used: " + e.getMessage(), e);
    }
  }

  private static BenchServer embedded() {
    try {
      Path directory = Files.createTempDirectory("sluice-bench");
      EmbeddedPostgres postgres =
          EmbeddedPostgres.join(
              directory.resolve("postgres"),
              EmbeddedPostgresOptions.defaults()
                  .withSetting("max_connections", "300")
                  .withSetting("shared_buffers", "1GB")
                  .withSetting("max_wal_size", "8GB"));
      String[] pgpass =
          Files.readString(postgres.dataDirectory().resolve("pgpass")).strip().split(":");
      Endpoint endpoint =
          new Endpoint("127.0.0.1", postgres.port(), "postgres", pgpass[3], pgpass[4]);
      BenchServer server = new BenchServer(endpoint, postgres, directory);
      Runtime.getRuntime().addShutdownHook(new Thread(server::close, "sluice-bench-cleaner"));
      return server;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The database that was named, or the embedded server's own. */
  public Endpoint endpoint() {
    return endpoint;
  }

  /** A new, empty database on this server; dropped when it is closed. */
  public BenchDatabase createDatabase(String name) {
    return BenchDatabase.create(endpoint, name, cpu);
  }

  /** The server's version and the settings that matter, by name. */
  public Map<String, String> settings() {
    Map<String, String> settings = new LinkedHashMap<>();
    try (Connection connection = endpoint.connect();
        Statement statement = connection.createStatement()) {
      for (String name : TELLING) {
        try (ResultSet row = statement.executeQuery("SHOW " + name)) {
          row.next();
          settings.put(name, row.getString(1));
        }
      }
    } catch (SQLException e) {
      throw new StoreUnavailableException("The server does not answer: " + e.getMessage(), e);
    }
    return settings;
  }

  /** Stops the embedded server and removes what it wrote; also when the run is interrupted. */
  @Override
  public void close() {
    if (embedded == null || !closed.compareAndSet(false, true)) {
      return;
    }
    embedded.close();
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
