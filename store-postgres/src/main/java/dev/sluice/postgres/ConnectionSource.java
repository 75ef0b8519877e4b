package dev.sluice.postgres;

import java.sql.Connection;
import java.sql.SQLException;

/** Where a {@link Database} gets its connections. Thread-safe. */
interface ConnectionSource extends AutoCloseable {
  /**
   * A connection for one call. It commits each statement by itself, under READ COMMITTED; the
   * borrower may turn that off for a transaction, and ends the transaction before it closes the
   * loan.
   */
  Loan borrow() throws SQLException;

  /** A connection to be kept for long, besides those that are borrowed for calls. */
  Loan keep() throws SQLException;

  /** Whether there are connections enough to keep one. */
  boolean canKeep();

  /** Gives up what the source opened by itself. */
  @Override
  void close();

  /**
   * A connection that goes back when this is closed. A failure of that is the pool's to notice: the
   * work on the connection has happened by then.
   */
  record Loan(Connection connection, Runnable giveBack) implements AutoCloseable {
    @Override
    public void close() {
      giveBack.run();
    }
  }
}
