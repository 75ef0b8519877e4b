package dev.sluice.bench.server;

import dev.sluice.StoreUnavailableException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;

/** A database that exists for one measurement. */
public final class BenchDatabase implements Venue {
  private final Endpoint server;
  private final Endpoint endpoint;

  private BenchDatabase(Endpoint server, Endpoint endpoint) {
    this.server = server;
    this.endpoint = endpoint;
  }

  static BenchDatabase create(Endpoint server, String name) {
    execute(server, "DROP DATABASE IF EXISTS \"" + name + "\" WITH (FORCE)");
    execute(server, "CREATE DATABASE \"" + name + "\"");
    return new BenchDatabase(server, server.withDatabase(name));
  }

  /** Where it is. */
  public Endpoint endpoint() {
    return endpoint;
  }

  @Override
  public String url() {
    return endpoint.url();
  }

  /** Removes dead rows, counts the others and writes all out. */
  @Override
  public void settle() {
    execute(endpoint, "VACUUM ANALYZE");
    execute(endpoint, "CHECKPOINT");
  }

  @Override
  public Optional<FunctionTimer> startTimer() {
    return Optional.of(FunctionTimer.start(endpoint));
  }

  /** Drops it, whoever is still connected. */
  @Override
  public void close() {
    execute(server, "DROP DATABASE \"" + endpoint.database() + "\" WITH (FORCE)");
  }

  private static void execute(Endpoint server, String sql) {
    try (Connection connection = server.connect();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    } catch (SQLException e) {
      throw new StoreUnavailableException(
          "Benchmarks make databases of their own, and that failed: " + e.getMessage(), e);
    }
  }
}
