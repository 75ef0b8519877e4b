package dev.sluice.postgres;

import dev.sluice.spi.StoreSettings;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import javax.sql.DataSource;

/**
 * The connections to one PostgreSQL, and the only place where its exceptions are seen and
 * translated.
 */
final class Database implements AutoCloseable {
  /** Stands in messages for a server that is known by its data source alone. */
  static final String GIVEN = "the given data source";

  private static final int MAX_TRIES = 10;

  private final ConnectionSource connections;
  private final String server;
  private final String schema;

  private Database(ConnectionSource connections, String server, String schema) {
    this.connections = connections;
    this.server = server;
    this.schema = schema;
  }

  static Database connect(PostgresUrl url, StoreSettings settings) {
    return new Database(OwnPool.at(url, settings), nameOf(url), settings.namespace());
  }

  /**
   * On the connections of the application: borrowed from its pool, or kept in one of our own if it
   * opens a new one each time.
   */
  static Database connect(DataSource dataSource, StoreSettings settings) {
    boolean pooled;
    try {
      pooled = PoolSize.isPooled(dataSource);
    } catch (SQLException e) {
      throw SqlErrors.translate(GIVEN, e);
    }
    return new Database(
        pooled ? new OwnersPool(dataSource, settings) : OwnPool.around(dataSource, settings),
        GIVEN,
        settings.namespace());
  }

  /** How messages name a server: without credentials. */
  static String nameOf(PostgresUrl url) {
    return url.toString().replace("jdbc:", "");
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
      try (ConnectionSource.Loan loan = connections.borrow()) {
        return work.on(loan.connection());
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
          // It is set back when the connection returns.
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
      statement.setObject(
          i + 1,
          parameters[i] instanceof SqlArray.Values array ? array.on(connection) : parameters[i]);
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

  <R> Optional<R> first(
      Connection connection, String sql, RowReader<R> reader, Object... parameters)
      throws SQLException {
    return list(connection, sql, reader, parameters).stream().findFirst();
  }

  <R> Optional<R> first(String sql, RowReader<R> reader, Object... parameters) {
    return list(sql, reader, parameters).stream().findFirst();
  }

  /** What the only row of an answer says. */
  <R> R one(Connection connection, String sql, RowReader<R> reader, Object... parameters)
      throws SQLException {
    return list(connection, sql, reader, parameters).get(0);
  }

  <R> R one(String sql, RowReader<R> reader, Object... parameters) {
    return list(sql, reader, parameters).get(0);
  }

  /** Runs statements without parameters. */
  void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.setEscapeProcessing(false);
      statement.execute(sql.replace("${schema}", schema));
    }
  }

  /** Calls a function for what it does. */
  void run(Connection connection, String sql, Object... parameters) throws SQLException {
    list(connection, sql, row -> null, parameters);
  }

  void run(String sql, Object... parameters) {
    list(sql, row -> null, parameters);
  }

  int update(String sql, Object... parameters) {
    return call(
        connection -> {
          try (PreparedStatement statement = prepare(connection, sql, parameters)) {
            return statement.executeUpdate();
          }
        });
  }

  /** A time, or null. */
  static Instant instant(ResultSet row, String column) throws SQLException {
    OffsetDateTime time = row.getObject(column, OffsetDateTime.class);
    return time == null ? null : time.toInstant();
  }

  static OptionalInt number(ResultSet row, String column) throws SQLException {
    Integer number = row.getObject(column, Integer.class);
    return number == null ? OptionalInt.empty() : OptionalInt.of(number);
  }

  static Integer orNull(OptionalInt number) {
    return number.isPresent() ? number.getAsInt() : null;
  }

  /** Whether one connection can be kept for long. */
  boolean canKeep() {
    return connections.canKeep();
  }

  /** Runs work that keeps its connection for long, besides those that calls may have at once. */
  void onKeptConnection(Work<Void> work) {
    try (ConnectionSource.Loan loan = connections.keep()) {
      work.on(loan.connection());
    } catch (SQLException e) {
      throw SqlErrors.translate(server, e);
    }
  }

  @Override
  public void close() {
    connections.close();
  }
}
