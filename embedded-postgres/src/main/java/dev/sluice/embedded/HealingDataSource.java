package dev.sluice.embedded;

import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.SQLNonTransientConnectionException;
import java.util.logging.Logger;
import javax.sql.DataSource;

/**
 * Connections to the shared server, which is started again when it is found gone.
 *
 * <p>No pool: each connection is new. Safe for use by many threads.
 */
final class HealingDataSource implements DataSource {

  private static final int TRIES = 3;

  private final SharedServer server;

  HealingDataSource(SharedServer server) {
    this.server = server;
  }

  @Override
  public Connection getConnection() throws SQLException {
    Credentials credentials = server.credentials();
    return getConnection(credentials.user(), credentials.password());
  }

  @Override
  public Connection getConnection(String user, String password) throws SQLException {
    Credentials credentials = new Credentials(user, password);
    SQLException last = null;
    for (int i = 0; i < TRIES; i++) {
      int port = server.port();
      try {
        return ServerConnections.open(port, credentials);
      } catch (SQLException e) {
        last = e;
        if (!ServerConnections.isServerGone(e) && server.port() == port) {
          throw e;
        }
      }
      heal();
    }
    throw last;
  }

  private void heal() throws SQLException {
    try {
      server.ensureRunning();
    } catch (IllegalStateException | UncheckedIOException e) {
      throw new SQLNonTransientConnectionException(e.getMessage(), "08001", e);
    }
  }

  @Override
  public <T> T unwrap(Class<T> type) throws SQLException {
    if (!isWrapperFor(type)) {
      throw new SQLException("The embedded PostgreSQL's data source is not a " + type.getName());
    }
    return type.cast(this);
  }

  @Override
  public boolean isWrapperFor(Class<?> type) {
    return type.isInstance(this);
  }

  @Override
  public Logger getParentLogger() throws SQLFeatureNotSupportedException {
    throw new SQLFeatureNotSupportedException("No java.util.logging here");
  }

  @Override
  public PrintWriter getLogWriter() {
    return null;
  }

  @Override
  public void setLogWriter(PrintWriter out) throws SQLFeatureNotSupportedException {
    throw new SQLFeatureNotSupportedException("No log writer here");
  }

  @Override
  public int getLoginTimeout() {
    return ServerConnections.LOGIN_SECONDS;
  }

  @Override
  public void setLoginTimeout(int seconds) throws SQLFeatureNotSupportedException {
    throw new SQLFeatureNotSupportedException("The time to find or start the server is fixed");
  }
}
