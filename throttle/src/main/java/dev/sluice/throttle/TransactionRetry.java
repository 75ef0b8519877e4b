package dev.sluice.throttle;

import java.sql.SQLException;
import java.util.Set;

/**
 * What to do when a database asks for a transaction to be repeated: it could not be serialized with
 * others (SQLState {@code 40001}), or was chosen to end a deadlock ({@code 40P01}). Such a
 * transaction has changed nothing, so repeating all of it is safe. Nothing else is tried again: of
 * a connection that broke during a commit nobody knows whether it happened.
 *
 * <pre>{@code
 * Retry retry = TransactionRetry.fromEnvironment();
 * retry.run("db_write", throttles.db(), () -> inTransaction(order));
 * }</pre>
 *
 * <p>The work begins the transaction and commits it: each attempt is a new one, on a connection
 * that it takes and gives back itself.
 */
public final class TransactionRetry {
  private static final Set<String> STATES = Set.of("40001", "40P01");

  /** A failure that is wrapped more often is taken for another. */
  private static final int DEEPEST = 20;

  private TransactionRetry() {}

  /** As {@code RETRY_ATTEMPTS} and {@code RETRY_BASE_DELAY_MS} want it. */
  public static Retry fromEnvironment() {
    return from(Environment.system()).build();
  }

  /** The same from these variables, with more to say. */
  public static Retry.Builder from(Environment environment) {
    return Retry.from(environment).retryIf(TransactionRetry::isRetryable);
  }

  /**
   * Whether the database asks for the transaction to be repeated: by this failure, one that it was
   * caused by, or the next one of a batch.
   */
  public static boolean isRetryable(Exception failure) {
    Throwable cause = failure;
    for (int depth = 0; cause != null && depth < DEEPEST; depth++) {
      if (cause instanceof SQLException first) {
        SQLException next = first;
        for (int more = 0; next != null && more < DEEPEST; more++) {
          if (STATES.contains(String.valueOf(next.getSQLState()))) {
            return true;
          }
          next = next.getNextException();
        }
      }
      cause = cause.getCause();
    }
    return false;
  }
}
