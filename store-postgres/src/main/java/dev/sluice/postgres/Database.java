package dev.sluice.postgres;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.pool.HikariPool.PoolInitializationException;
import dev.sluice.StoreUnavailableException;
import dev.sluice.spi.StoreSettings;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;

/**
 * The connections to one PostgreSQL, and the only place where its exceptions are seen and
 * translated.
 */
final class Database implements AutoCloseable {
  private static final int MAX_TRIES = 10;
  private static final long CONNECTION_TIMEOUT_MS = 10_000;

  private final HikariDataSource pool;
  private final String server;
  private final String schema;

  private Database(HikariDataSource pool, String server, String schema) {
    this.pool = pool;
    this.server = server;
    this.schema = schema;
  }

  static Database connect(PostgresUrl url, StoreSettings settings) {
    HikariConfig config = newConfig(settings);
    config.setJdbcUrl(url.jdbcUrl());
    config.setUsername(url.user());
    config.setPassword(url.password());
    // The driver's own defaults wait forever for a server that has vanished without a word.
    config.addDataSourceProperty("connectTimeout", "10");
    config.addDataSourceProperty("socketTimeout", "120");
    config.addDataSourceProperty("tcpKeepAlive", "true");
    config.addDataSourceProperty("ApplicationName", "sluice");
    return open(config, url.toString().replace("jdbc:", ""), settings);
  }

  static Database connect(DataSource dataSource, StoreSettings settings) {
    HikariConfig config = newConfig(settings);
    config.setDataSource(dataSource);
    return open(config, "the given data source", settings);
  }

  private static HikariConfig newConfig(StoreSettings settings) {
    HikariConfig config = new HikariConfig();
    config.setPoolName("sluice-" + settings.namespace());
    config.setMaximumPoolSize(settings.connections() + 1);
    config.setMinimumIdle(1);
    config.setConnectionTimeout(CONNECTION_TIMEOUT_MS);
    // The locks of the protocol are followed by reads that must see what the lock waited for.
    // On every connection: the pool's own setting asks the first one, and the server's default may
    // change later.
    config.setConnectionInitSql(
        "SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL READ COMMITTED");
    return config;
  }

  private static Database open(HikariConfig config, String server, StoreSettings settings) {
    try {
      return new Database(new HikariDataSource(config), server, settings.namespace());
    } catch (PoolInitializationException e) {
      throw e.getCause() instanceof SQLException cause
          ? SqlErrors.translate(server, cause)
          : new StoreUnavailableException(
              "PostgreSQL at " + server + " cannot be reached: " + e.getMessage(), e);
    } catch (RuntimeException e) {
      throw new StoreUnavailableException(
          "PostgreSQL at " + server + " cannot be used: " + e.getMessage(), e);
    }
  }

  String schema() {
    return schema;
  }

  String server() {
    return server;
  }

  /** Work on one connection. */
  @FunctionalInterface
  interface Work<R> {
    R on(Connection connection) throws SQLException;
  }

  /** Reads one row of an answer. */
  @FunctionalInterface
  interface RowReader<R> {
    R read(ResultSet row) throws SQLException;
  }

  /**
   * Runs one statement (or several that need no common transaction); again, from the start, if it
   * was a victim of a deadlock.
   */
  <R> R call(Work<R> work) {
    for (int tries = 1; ; tries++) {
      try (Connection connection = pool.getConnection()) {
        return work.on(connection);
      } catch (SQLException e) {
        if (!SqlErrors.isTransient(e) || tries == MAX_TRIES) {
          throw SqlErrors.translate(server, e);
        }
      }
    }
  }

  /** Runs work in one transaction; again, from the start, if it was a victim of a deadlock. */
  <R> R inTransaction(Work<R> work) {
    return call(
        connection -> {
          // The pool sets it back when the connection returns.
          connection.setAutoCommit(false);
          try {
            R result = work.on(connection);
            connection.commit();
            return result;
          } catch (SQLException | RuntimeException e) {
            try {
              connection.rollback();
            } catch (SQLException rollback) {
              e.addSuppressed(rollback);
            }
            throw e;
          }
        });
  }

  /** Prepares a statement in which {@code ${schema}} stands for the schema's name. */
  PreparedStatement prepare(Connection connection, String sql, Object... parameters)
      throws SQLException {
    PreparedStatement statement = connection.prepareStatement(sql.replace("${schema}", schema));
    for (int i = 0; i < parameters.length; i++) {
      statement.setObject(i + 1, parameters[i]);
    }
    return statement;
  }

  <R> List<R> list(Connection connection, String sql, RowReader<R> reader, Object... parameters)
      throws SQLException {
    try (PreparedStatement statement = prepare(connection, sql, parameters);
        ResultSet rows = statement.executeQuery()) {
      List<R> results = new ArrayList<>();
      while (rows.next()) {
        results.add(reader.read(rows));
      }
      return results;
    }
  }

  <R> List<R> list(String sql, RowReader<R> reader, Object... parameters) {
    return call(connection -> list(connection, sql, reader, parameters));
  }

  <R> Optional<R> first(String sql, RowReader<R> reader, Object... parameters) {
    return list(sql, reader, parameters).stream().findFirst();
  }

  int update(String sql, Object... parameters) {
    return call(
        connection -> {
          try (PreparedStatement statement = prepare(connection, sql, parameters)) {
            return statement.executeUpdate();
          }
        });
  }

  /** Runs a statement on the caller's connection, in the caller's transaction. */
  <R> R onCallersConnection(Connection connection, Work<R> work) {
    try {
      return work.on(connection);
    } catch (SQLException e) {
      throw SqlErrors.translate(server, e);
    }
  }

  /** Takes a broken connection out of the pool, where the pool could not notice that it broke. */
  void evict(Connection connection) {
    pool.evictConnection(connection);
  }

  @Override
  public void close() {
    pool.close();
  }
}
