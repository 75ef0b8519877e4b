package dev.sluice.postgres;

import java.io.PrintWriter;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.logging.Logger;
import javax.sql.DataSource;

/**
 * A pool that does nothing for its connections: what a borrower changes stays changed, as in a pool
 * whose resetting is switched off.
 */
final class HandoutPool implements DataSource, AutoCloseable {
  /** Opens one connection. */
  @FunctionalInterface
  interface Opener {
    Connection open() throws SQLException;
  }

  private final BlockingQueue<Connection> idle = new LinkedBlockingQueue<>();

  HandoutPool(int size, Opener opener) throws SQLException {
    for (int i = 0; i < size; i++) {
      idle.add(opener.open());
    }
  }

  /** The connections that are not lent, each with an open transaction at most of the caller's. */
  List<Connection> all() {
    return new ArrayList<>(idle);
  }

  @Override
  public Connection getConnection() throws SQLException {
    try {
      Connection real = idle.poll(10, TimeUnit.SECONDS);
      if (real == null) {
        throw new SQLException("All connections are lent.", "08001");
      }
      boolean[] closed = {false};
      return (Connection)
          Proxy.newProxyInstance(
              Connection.class.getClassLoader(),
              new Class<?>[] {Connection.class},
              (proxy, method, arguments) -> {
                if (method.getName().equals("close")) {
                  if (!closed[0]) {
                    closed[0] = true;
                    idle.add(real);
                  }
                  return null;
                }
                if (closed[0]) {
                  throw new SQLException("It was given back.", "08003");
                }
                try {
                  return method.invoke(real, arguments);
                } catch (InvocationTargetException e) {
                  throw e.getCause();
                }
              });
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new SQLException("Interrupted.", "08001");
    }
  }

  @Override
  public void close() throws SQLException {
    for (Connection connection : idle) {
      connection.close();
    }
  }

  @Override
  public Connection getConnection(String user, String password) throws SQLException {
    throw new SQLFeatureNotSupportedException();
  }

  @Override
  public PrintWriter getLogWriter() {
    return null;
  }

  @Override
  public void setLogWriter(PrintWriter out) {}

  @Override
  public void setLoginTimeout(int seconds) {}

  @Override
  public int getLoginTimeout() {
    return 0;
  }

  @Override
  public Logger getParentLogger() throws SQLFeatureNotSupportedException {
    throw new SQLFeatureNotSupportedException();
  }

  @Override
  public <T> T unwrap(Class<T> type) throws SQLException {
    throw new SQLException("There is no " + type);
  }

  @Override
  public boolean isWrapperFor(Class<?> type) {
    return false;
  }
}
