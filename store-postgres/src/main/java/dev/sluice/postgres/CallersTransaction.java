package dev.sluice.postgres;

import dev.sluice.InvalidRequestException;
import dev.sluice.SluiceException;
import dev.sluice.StoreUrls;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Set;
import java.util.UUID;

/**
 * A transaction of the application, on a connection of the application, in which jobs are
 * submitted. It is examined before anything is written in it, so that one that cannot be used is
 * refused by what is wrong with it, and (unless it was aborted before) can be used for other
 * things.
 */
final class CallersTransaction {
  /**
   * The notification is delivered by the server when, and only if, the caller commits; several in
   * one transaction become one.
   */
  private static final String ENLIST =
      """
      SELECT store_id,
             current_setting('transaction_read_only') = 'on' AS read_only,
             current_setting('transaction_isolation') AS isolation,
             ${schema}.wake_all()
      FROM ${schema}.meta
      """;

  private static final String ABORTED = "25P02";
  private static final String READ_ONLY = "25006";

  /** No such schema, table, column, function. */
  private static final Set<String> MISSING = Set.of("3F000", "42P01", "42703", "42883");

  /** What the server says about a transaction. */
  private record Found(UUID storeId, boolean readOnly, String isolation) {}

  private final Database database;
  private final UUID storeId;
  private final Connection connection;
  private final Found found;

  /**
   * Examines the transaction, and has workers woken when it commits.
   *
   * @throws InvalidRequestException if no job can be submitted in it
   */
  CallersTransaction(Database database, UUID storeId, Connection connection) {
    this.database = database;
    this.storeId = storeId;
    this.connection = connection;
    this.found = run(this::enlist);
    if (!storeId.equals(found.storeId)) {
      throw new InvalidRequestException(
          "The given connection%s leads to another store under the same schema '%s'. %s"
              .formatted(where(), database.schema(), useOurs()));
    }
    if (found.readOnly) {
      throw readOnly(null);
    }
  }

  private Found enlist(Connection connection) throws SQLException {
    if (connection.isClosed()) {
      throw new InvalidRequestException(
          "The given connection is closed. Submit before it is closed, or without a connection.");
    }
    if (connection.getAutoCommit()) {
      throw new InvalidRequestException(
          "The given connection commits each statement by itself, so there is no transaction to submit in."
              + " Call setAutoCommit(false) and commit afterwards, or submit without a connection.");
    }
    return database.one(
        connection,
        ENLIST,
        row -> new Found(row.getObject(1, UUID.class), row.getBoolean(2), row.getString(3)));
  }

  /**
   * For what is right only if each statement sees all that was committed before it began.
   *
   * @param what needs that
   * @param otherwise what could happen without
   */
  void requireReadCommitted(String what, String otherwise) {
    if (!found.isolation.startsWith("read ")) {
      throw new InvalidRequestException(
          "%s needs a READ COMMITTED transaction, and this one is %s: %s."
                  .formatted(what, found.isolation.toUpperCase(java.util.Locale.ROOT), otherwise)
              + " Set the isolation of the connection before its transaction begins, or submit without a connection.");
    }
  }

  <R> R run(Database.Work<R> work) {
    try {
      return work.on(connection);
    } catch (SQLException e) {
      throw translate(e);
    }
  }

  private SluiceException translate(SQLException e) {
    // Its own state: that of the cause belongs to the statement that aborted the transaction.
    String state = String.valueOf(e.getSQLState());
    if (state.equals(ABORTED)) {
      return new InvalidRequestException(
          "The transaction on the given connection is aborted, because an earlier statement in it failed: roll it back,"
              + " then submit in a new one.",
          e);
    }
    if (state.equals(READ_ONLY)) {
      return readOnly(e);
    }
    String product = product();
    if (!product.equals("PostgreSQL")) {
      return new InvalidRequestException(
          "The given connection%s is one to %s, not to PostgreSQL. %s"
              .formatted(where(), product, useOurs()),
          e);
    }
    if (MISSING.contains(state)) {
      return new InvalidRequestException(
          "The given connection%s leads to a database in which the schema '%s' of this store is not. %s"
              .formatted(where(), database.schema(), useOurs()),
          e);
    }
    return SqlErrors.translate(database.server(), e);
  }

  private static InvalidRequestException readOnly(SQLException cause) {
    return new InvalidRequestException(
        "The transaction on the given connection is read-only, and a submit writes. Use one that may write, to the"
            + " primary server, or submit without a connection.",
        cause);
  }

  private String useOurs() {
    return "Submit on a connection to the database of this store (%s), or without a connection."
        .formatted(database.server());
  }

  private String where() {
    try {
      return " (" + StoreUrls.masked(connection.getMetaData().getURL()) + ")";
    } catch (SQLException | RuntimeException e) {
      return "";
    }
  }

  private String product() {
    try {
      return String.valueOf(connection.getMetaData().getDatabaseProductName());
    } catch (SQLException | RuntimeException e) {
      return "PostgreSQL";
    }
  }
}
