package dev.sluice.bench.server;

import dev.sluice.StoreUnavailableException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * Has the server time the SQL functions of a database, on connections made after it was started.
 * That costs the functions some time themselves, so it is not used where throughput is measured.
 */
public final class FunctionTimer {
  private static final String TRACK = "ALTER DATABASE \"%s\" SET track_functions = '%s'";
  private static final String NEW_CONNECTIONS =
      """
      SELECT count(*)
      FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_start > '%s'
      """;
  private static final String MEANS =
      """
      SELECT funcname, sum(total_time) / sum(calls)
      FROM pg_stat_user_functions
      WHERE calls > 0
      GROUP BY funcname
      UNION ALL
      SELECT per.name, (SELECT sum(total_time) FROM pg_stat_user_functions WHERE funcname = ANY (per.functions)) / per.slots
      FROM pg_stat_user_tables t
      CROSS JOIN LATERAL (VALUES
        ('slot taken', '{take_slots}'::text[], t.n_tup_ins),
        ('slot given back', '{free_slots}', t.n_tup_del)
      ) AS per(name, functions, slots)
      WHERE t.relname = 'slot' AND per.slots > 0
      """;

  /** A connection tells the others what it has counted at most this often, in nanoseconds. */
  public static final long REPORT_INTERVAL = TimeUnit.MILLISECONDS.toNanos(1100);

  private static final long LONGEST_WAIT = TimeUnit.SECONDS.toNanos(5);

  private final Endpoint database;
  private final String since;
  private final boolean allowed;

  private FunctionTimer(Endpoint database, String since, boolean allowed) {
    this.database = database;
    this.since = since;
    this.allowed = allowed;
  }

  /** Begins, if the user may ask for that; otherwise nothing will have been timed. */
  public static FunctionTimer start(Endpoint database) {
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement()) {
      String now = text(statement, "SELECT clock_timestamp()");
      return new FunctionTimer(database, now, track(statement, database));
    } catch (SQLException e) {
      throw unavailable(e);
    }
  }

  private static boolean track(Statement statement, Endpoint database) {
    try {
      statement.execute(TRACK.formatted(database.database(), "all"));
      statement.execute("SELECT pg_stat_reset()");
      return true;
    } catch (SQLException e) {
      return false;
    }
  }

  /**
   * Begins anew. Connections that go on have to be used shortly before, and {@link
   * #REPORT_INTERVAL} after they last were: else they report later what is to be forgotten.
   */
  public void forget() {
    if (!allowed) {
      return;
    }
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement()) {
      statement.execute("SELECT pg_stat_reset()");
    } catch (SQLException e) {
      throw unavailable(e);
    }
  }

  /**
   * Ends, after the connections in question were closed: they report at their end.
   *
   * @return milliseconds per call by function, those it called included; and, as {@code slot taken}
   *     and {@code slot given back}, per slot, of which a call handles one or hundreds
   */
  public Map<String, Double> stop() throws InterruptedException {
    Map<String, Double> means = new TreeMap<>();
    if (!allowed) {
      return means;
    }
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement()) {
      statement.execute(TRACK.formatted(database.database(), "none"));
      awaitReports(statement);
      try (ResultSet row = statement.executeQuery(MEANS)) {
        while (row.next()) {
          means.put(row.getString(1), row.getDouble(2));
        }
      }
    } catch (SQLException e) {
      throw unavailable(e);
    }
    return means;
  }

  private void awaitReports(Statement statement) throws SQLException, InterruptedException {
    long deadline = System.nanoTime() + LONGEST_WAIT;
    while (!text(statement, NEW_CONNECTIONS.formatted(since)).equals("0")
        && System.nanoTime() < deadline) {
      TimeUnit.MILLISECONDS.sleep(20);
    }
  }

  private static String text(Statement statement, String query) throws SQLException {
    try (ResultSet row = statement.executeQuery(query)) {
      row.next();
      return row.getString(1);
    }
  }

  private static StoreUnavailableException unavailable(SQLException e) {
    return new StoreUnavailableException("The server does not answer: " + e.getMessage(), e);
  }
}
