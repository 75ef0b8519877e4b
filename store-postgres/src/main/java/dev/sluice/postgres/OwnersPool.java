package dev.sluice.postgres;

import dev.sluice.StoreIncompatibleException;
import dev.sluice.StoreUnavailableException;
import dev.sluice.spi.StoreSettings;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.sql.Statement;
import java.util.OptionalInt;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The pool of the application, which needs its connections for itself.
 *
 * <p>A connection is borrowed for one call and goes back at its end, in the state it came in:
 * autocommit and isolation are set for the call where they differ, and set back; nothing else of
 * the session is touched. One connection is kept while a worker runs, by {@link
 * NotificationListener}.
 *
 * <p><b>How many at once.</b> Of a pool of P connections, calls hold at most half of what is left
 * beside the kept one, (P - 1) / 2, at least one and never more than {@code connections}; further
 * calls wait for those. So the application has always the larger half: 1 of 3, 2 of 5, 5 of 10. A
 * pool of fewer than {@value #ENOUGH} leaves a worker one connection at a time, which its claims
 * share with chores and submits: there is a warning. A pool of one or two is too small to keep any;
 * workers poll then. Of a pool that does not tell its size ({@link PoolSize}), calls hold at most
 * {@code connections}.
 */
final class OwnersPool implements ConnectionSource {
  private static final Logger log = LoggerFactory.getLogger(OwnersPool.class);

  /** The smallest pool in which a claim need not wait for a chore. */
  static final int ENOUGH = 5;

  /** The smallest pool of which one connection can be kept. */
  private static final int ENOUGH_TO_KEEP = 3;

  private static final long LONGEST_WAIT_S = 30;

  private final DataSource dataSource;
  private final OptionalInt size;
  private final int atOnce;
  private final Semaphore calls;

  OwnersPool(DataSource dataSource, StoreSettings settings) {
    this.dataSource = dataSource;
    this.size = PoolSize.of(dataSource);
    this.atOnce =
        size.isPresent()
            ? Math.min(settings.connections(), Math.max(1, (size.getAsInt() - 1) / 2))
            : settings.connections();
    this.calls = new Semaphore(atOnce, true);
    if (size.isPresent() && size.getAsInt() < ENOUGH) {
      log.warn(
          "The given data source is a pool of at most {} connections. Sluice takes one of them at a time{},"
              + " so its calls wait for each other and for the application. Make it {} or more.",
          size.getAsInt(),
          canKeep()
              ? " and keeps one more while a worker runs"
              : " and keeps none to listen on, so workers poll and renew their leases only when one is free",
          ENOUGH);
    }
  }

  @Override
  public Loan borrow() throws SQLException {
    try {
      if (!calls.tryAcquire(LONGEST_WAIT_S, TimeUnit.SECONDS)) {
        throw new StoreUnavailableException(
            "%d calls to PostgreSQL are under way, as many as may be at once on the given data source, and none ended within %d s. Enlarge the pool, or raise \"connections\"."
                .formatted(atOnce, LONGEST_WAIT_S));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new SQLException("interrupted while waiting for a connection", "08001", e);
    }
    try {
      Loan loan = keep();
      return new Loan(
          loan.connection(),
          () -> {
            loan.close();
            calls.release();
          });
    } catch (SQLException | RuntimeException | Error e) {
      calls.release();
      throw e;
    }
  }

  @Override
  public Loan keep() throws SQLException {
    Connection connection = connect();
    try {
      return new Loan(connection, Borrowed.prepared(connection)::giveBack);
    } catch (SQLException | RuntimeException | Error e) {
      try {
        connection.close();
      } catch (SQLException closing) {
        e.addSuppressed(closing);
      }
      throw e;
    }
  }

  @Override
  public boolean canKeep() {
    return size.isEmpty() || size.getAsInt() >= ENOUGH_TO_KEEP;
  }

  private Connection connect() throws SQLException {
    try {
      return dataSource.getConnection();
    } catch (SQLTransientConnectionException e) {
      // With a cause, the pool could not connect; without, all of its connections are lent.
      if (e.getCause() != null) {
        throw e;
      }
      throw new StoreUnavailableException(
          "The given data source has no connection to lend: %s. Enlarge its pool, or let its users hold connections for shorter."
              .formatted(e.getMessage()),
          e);
    }
  }

  @Override
  public void close() {
    // The pool is its owner's to close.
  }

  /** A connection, and what to set back before it returns. */
  private record Borrowed(Connection connection, boolean autoCommit, int isolation) {
    private static final int NEEDED = Connection.TRANSACTION_READ_COMMITTED;

    static Borrowed prepared(Connection connection) throws SQLException {
      boolean autoCommit = connection.getAutoCommit();
      if (!autoCommit) {
        refuseTransaction(connection);
        connection.setAutoCommit(true);
      }
      // Asked of the server each time: what the session was last set to is known there alone.
      int isolation = connection.getTransactionIsolation();
      if (isolation != NEEDED) {
        connection.setTransactionIsolation(NEEDED);
      }
      return new Borrowed(connection, autoCommit, isolation);
    }

    /**
     * Turning autocommit on would commit it. One that has written nothing may be that of a pool
     * which has just tried whether the connection works.
     */
    private static void refuseTransaction(Connection connection) throws SQLException {
      if (!connection.isWrapperFor(BaseConnection.class)) {
        return;
      }
      TransactionState state = connection.unwrap(BaseConnection.class).getTransactionState();
      if (state == TransactionState.FAILED
          || (state == TransactionState.OPEN && hasWritten(connection))) {
        throw new StoreIncompatibleException(
            "The given data source lends a connection within a transaction, as one does that is bound to the transaction"
                + " of the calling thread: its outcome is not for a call of Sluice to decide. Give Sluice the pool itself,"
                + " and to submit within a transaction use submit(connection, ...).");
      }
    }

    private static boolean hasWritten(Connection connection) throws SQLException {
      try (Statement statement = connection.createStatement();
          ResultSet row = statement.executeQuery("SELECT txid_current_if_assigned() IS NOT NULL")) {
        row.next();
        return row.getBoolean(1);
      }
    }

    void giveBack() {
      try (Connection returning = connection) {
        try {
          restore();
        } catch (SQLException e) {
          log.debug("A connection could not be set back; it is closed.", e);
          returning.abort(Runnable::run);
        }
      } catch (SQLException e) {
        log.debug("A connection could not be given back.", e);
      }
    }

    private void restore() throws SQLException {
      if (isolation != NEEDED) {
        if (!connection.getAutoCommit()) {
          connection.setAutoCommit(true);
        }
        connection.setTransactionIsolation(isolation);
      }
      if (connection.getAutoCommit() != autoCommit) {
        connection.setAutoCommit(autoCommit);
      }
    }
  }
}
