package dev.sluice.example.media;

import dev.sluice.throttle.Environment;
import dev.sluice.throttle.Retry;
import dev.sluice.throttle.Throttles;
import dev.sluice.throttle.TransactionRetry;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;

/**
 * The finished videos, in a table of PostgreSQL, numbered without a gap.
 *
 * <p>The number is one more than the largest there is, so two transactions at once could choose the
 * same. They are serializable: PostgreSQL lets them go on side by side, and refuses the one that
 * could not have come after the other. That one is tried again from its beginning. Between attempts
 * it holds no permit, see {@link TransactionRetry}.
 */
final class Catalogue {
  private static final String CREATE =
      """
      CREATE TABLE IF NOT EXISTS video (
        id       text PRIMARY KEY,
        number   bigint NOT NULL,
        playlist text NOT NULL,
        files    integer NOT NULL,
        bytes    bigint NOT NULL)
      """;
  private static final String INSERT =
      """
      INSERT INTO video (id, number, playlist, files, bytes)
      SELECT ?, coalesce(max(number), 0) + 1, ?, ?, ?
      FROM video
      ON CONFLICT (id) DO NOTHING
      """;
  private static final String NUMBER = "SELECT number FROM video WHERE id = ?";

  private final DataSource database;
  private final Throttles throttles;
  private final Retry retry;
  private final Timeline timeline;

  /** A finished video. */
  record Entry(String id, String playlist, int files, long bytes) {}

  Catalogue(DataSource database, Throttles throttles, Environment environment, Timeline timeline) {
    this.database = database;
    this.throttles = throttles;
    this.retry = TransactionRetry.from(environment).build();
    this.timeline = timeline;
  }

  /** Makes the table, if it is not there. */
  void create() throws SQLException {
    try (Connection connection = database.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(CREATE);
    }
  }

  /** Records a video, unless it is there: its number. */
  long record(Entry entry) throws SQLException, InterruptedException {
    return retry.run(
        Label.RECORD.toString(), Label.RECORD.throttle(throttles), () -> inTransaction(entry));
  }

  /** How often a transaction had to be tried again. */
  long retries() {
    return retry.stats(Label.RECORD.toString()).retryAttempts();
  }

  private long inTransaction(Entry entry) throws SQLException {
    try (Timeline.Open span = timeline.open(Label.RECORD, entry.id());
        Connection connection = database.getConnection()) {
      connection.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
      connection.setAutoCommit(false);
      insert(connection, entry);
      long number = number(connection, entry.id());
      connection.commit();
      return number;
    }
  }

  private static void insert(Connection connection, Entry entry) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(INSERT)) {
      statement.setString(1, entry.id());
      statement.setString(2, entry.playlist());
      statement.setInt(3, entry.files());
      statement.setLong(4, entry.bytes());
      statement.executeUpdate();
    }
  }

  private static long number(Connection connection, String id) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(NUMBER)) {
      statement.setString(1, id);
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        return row.getLong(1);
      }
    }
  }
}
