package dev.sluice.server;

import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.logging.Logger;
import javax.sql.DataSource;

/** A data source that can be broken: its connections are closed and it gives no more. */
final class BreakableDataSource implements DataSource {
  private final DataSource real;
  private final Set<Connection> open = ConcurrentHashMap.newKeySet();
  private volatile boolean broken;

  BreakableDataSource(DataSource real) {
    this.real = real;
  }

  void breakDown() throws SQLException {
    broken = true;
    for (Connection connection : open) {
      connection.abort(Runnable::run);
    }
    open.clear();
  }

  void mend() {
    broken = false;
  }

  @Override
  public Connection getConnection() throws SQLException {
    if (broken) {
      throw new SQLException("The connection is refused.", "08001");
    }
    Connection connection = real.getConnection();
    open.add(connection);
    return connection;
  }

  @Override
  public Connection getConnection(String user, String password) throws SQLException {
    throw new SQLFeatureNotSupportedException();
  }

  @Override
  public PrintWriter getLogWriter() throws SQLException {
    return real.getLogWriter();
  }

  @Override
  public void setLogWriter(PrintWriter out) throws SQLException {
    real.setLogWriter(out);
  }

  @Override
  public void setLoginTimeout(int seconds) throws SQLException {
    real.setLoginTimeout(seconds);
  }

  @Override
  public int getLoginTimeout() throws SQLException {
    return real.getLoginTimeout();
  }

  @Override
  public Logger getParentLogger() throws SQLFeatureNotSupportedException {
    return real.getParentLogger();
  }

  @Override
  public <T> T unwrap(Class<T> type) throws SQLException {
    return real.unwrap(type);
  }

  @Override
  public boolean isWrapperFor(Class<?> type) throws SQLException {
    return real.isWrapperFor(type);
  }
}
