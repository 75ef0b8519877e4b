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
  private final CpuClock cpu;

  private BenchDatabase(Endpoint server, Endpoint endpoint, CpuClock cpu) {
    this.server = server;
    this.endpoint = endpoint;
    this.cpu = cpu;
  }

  static BenchDatabase create(Endpoint server, String name, CpuClock cpu) {
    execute(server, "DROP DATABASE IF EXISTS \"" + name + "\" WITH (FORCE)");
    execute(server, "CREATE DATABASE \"" + name + "\"");
    return new BenchDatabase(server, server.withDatabase(name), cpu);
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

  /** What counts the CPU time of its server. */
  public CpuClock cpu() {
    return cpu;
  }

  @Override
  public Optional<CpuClock> serverCpu() {
    return Optional.of(cpu);
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
