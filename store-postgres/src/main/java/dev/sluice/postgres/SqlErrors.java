package dev.sluice.postgres;

import dev.sluice.InvalidRequestException;
import dev.sluice.SluiceException;
import dev.sluice.StoreIncompatibleException;
import dev.sluice.StoreUnavailableException;
import java.sql.SQLException;
import java.util.Set;
import java.util.function.UnaryOperator;

/** Sorts what the driver throws, by SQLState, into what a caller would act on differently. */
final class SqlErrors {
  static final String DEADLOCK = "40P01";
  static final String SERIALIZATION_FAILURE = "40001";
  static final String UNIQUE_VIOLATION = "23505";
  static final String NO_LIMIT = "SL001";
  private static final String NOT_READ_COMMITTED = "SL002";

  /** Cancelled, as by statement_timeout; no lock within lock_timeout; transaction_timeout. */
  private static final Set<String> TIME_OUTS = Set.of("57014", "55P03", "25P04");

  private SqlErrors() {}

  static boolean isTransient(SQLException e) {
    return DEADLOCK.equals(e.getSQLState()) || SERIALIZATION_FAILURE.equals(e.getSQLState());
  }

  static SluiceException translate(String name, SQLException e) {
    String state = stateOf(e);
    String detail = messageOf(e);
    UnaryOperator<String> server = said -> ("PostgreSQL at %s " + said).formatted(name, detail);
    // The driver has no state of its own for a password that it was asked for and does not have.
    if (state.startsWith("28") || detail.contains("no password was provided")) {
      return new StoreIncompatibleException(
          server.apply("refused the user or password: %s Check the credentials in the store URL."),
          e);
    }
    if (state.equals("3D000")) {
      return new StoreIncompatibleException(
          server.apply("has no such database: %s Create it, or name another."), e);
    }
    if (state.equals("42501")) {
      return new StoreIncompatibleException(
          server.apply("denies permission: %s Grant it, or let its owner create the schema."), e);
    }
    if (state.equals("25006")) {
      return new StoreIncompatibleException(
          server.apply(
              "gives read-only transactions: %s Name the primary server, with connections that may write."),
          e);
    }
    if (state.startsWith("08")
        || state.startsWith("57P")
        || state.startsWith("53")
        || isTransient(e)) {
      return new StoreUnavailableException(
          server.apply("cannot be reached or is not ready: %s Is the server up?"), e);
    }
    if (TIME_OUTS.contains(state)) {
      return new StoreUnavailableException(
          "PostgreSQL at %s did not answer in time: %s. Try again. If it lasts, look in pg_stat_activity for a transaction that holds locks, or raise statement_timeout and lock_timeout of the role."
              .formatted(name, detail.lines().findFirst().orElse("")),
          e);
    }
    if (state.equals(NO_LIMIT)) {
      return new InvalidRequestException(
          "The group has no limit any more, so it has no slots. Set one first.", e);
    }
    if (state.equals(NOT_READ_COMMITTED)) {
      // Not for the data: an outcome that comes over such a connection is as good as any.
      return new StoreIncompatibleException(
          detail
              + " Set the isolation of the connection to READ COMMITTED before its transaction begins, or leave the connection to Sluice.",
          e);
    }
    // 54: a limit of the server, such as the size of a row.
    if (state.startsWith("22") || state.startsWith("23") || state.startsWith("54")) {
      return new InvalidRequestException("PostgreSQL refused the data: " + detail, e);
    }
    if (state.equals("3F000") || state.startsWith("42")) {
      return new StoreIncompatibleException(
          "The schema at %s is not as this version expects: %s Was it changed by hand?"
              .formatted(name, detail),
          e);
    }
    return new SluiceException(server.apply("failed (SQLState " + state + "): %s"), e);
  }

  /** The pool wraps what it could not get: what counts is the innermost SQLState. */
  private static String stateOf(SQLException e) {
    String state = "08001";
    for (Throwable t = e; t != null; t = t.getCause()) {
      if (t instanceof SQLException sql && sql.getSQLState() != null) {
        state = sql.getSQLState();
      }
    }
    return state;
  }

  private static String messageOf(SQLException e) {
    Throwable innermost = e;
    while (innermost.getCause() instanceof SQLException cause) {
      innermost = cause;
    }
    // Where in which function it happened is for those who look into the cause.
    String message = String.valueOf(innermost.getMessage()).split("\n\\s*Where:", 2)[0].strip();
    return message.endsWith(".") ? message : message + ".";
  }
}
