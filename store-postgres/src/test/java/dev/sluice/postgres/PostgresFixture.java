package dev.sluice.postgres;

import dev.sluice.SluiceOptions;
import dev.sluice.spi.JobStore;
import dev.sluice.spi.StoreProviders;
import dev.sluice.spi.StoreSettings;
import dev.sluice.tck.StoreFixture;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;

/** A schema of its own on the shared server, dropped when closed. */
final class PostgresFixture implements StoreFixture {
  private static final int CONNECTIONS = 8;

  /** Both sides come from one statement, hence from one snapshot. */
  private static final String RECOUNT =
      """
      SELECT coalesce(g.group_name, s.group_name) || '#' || coalesce(g.n, s.n) AS place,
             coalesce(g.used, 0) AS counted,
             coalesce(s.held, 0) AS held
      FROM ${schema}.slot_group g
      FULL JOIN (
        SELECT group_name, slot % 50 AS n, count(*) AS held
        FROM ${schema}.slot
        WHERE group_name IN (SELECT group_name FROM ${schema}.slot_group)
        GROUP BY 1, 2
      ) s ON s.group_name = g.group_name AND s.n = g.n
      """;

  private final TestServer server;
  private final String schema = "t_" + UUID.randomUUID().toString().replace("-", "");

  PostgresFixture(TestServer server) {
    this.server = server;
  }

  /** A schema in which plain groups lend slots to workers from their first limit on. */
  static PostgresFixture hot(TestServer server) {
    PostgresFixture fixture = new PostgresFixture(server);
    fixture.openStore().close();
    fixture.execute("UPDATE ${schema}.meta SET heat_above = 0");
    return fixture;
  }

  /** Has the slots of a plain group with a limit counted and lent to workers from now on. */
  void heat(String group) {
    execute("SELECT ${schema}.heat(ARRAY['%s'])".formatted(group));
  }

  /** Runs a statement in this schema. */
  void execute(String sql) {
    try (Connection connection = openConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql.replace("${schema}", schema));
    } catch (SQLException e) {
      throw new IllegalStateException("The schema " + schema + " refuses: " + sql, e);
    }
  }

  /** The number that a query in this schema answers with. */
  long number(String query) {
    try (Connection connection = openConnection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(query.replace("${schema}", schema))) {
      row.next();
      return row.getLong(1);
    } catch (SQLException e) {
      throw new IllegalStateException("The schema " + schema + " refuses: " + query, e);
    }
  }

  @Override
  public SluiceOptions options() {
    return SluiceOptions.url(server.url()).schema(schema).connections(CONNECTIONS);
  }

  @Override
  public JobStore openStore() {
    return StoreProviders.open(server.url(), new StoreSettings(schema, CONNECTIONS));
  }

  @Override
  public String url() {
    return server.url();
  }

  @Override
  public String namespace() {
    return schema;
  }

  @Override
  public Connection openConnection() throws SQLException {
    return server.openConnection();
  }

  @Override
  public Map<String, SlotCount> recount() {
    Map<String, SlotCount> counts = new TreeMap<>();
    try (Connection connection = openConnection();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(RECOUNT.replace("${schema}", schema))) {
      while (rows.next()) {
        counts.put(
            rows.getString("place"), new SlotCount(rows.getLong("counted"), rows.getLong("held")));
      }
      return counts;
    } catch (SQLException e) {
      throw new IllegalStateException("The counters of " + schema + " could not be read", e);
    }
  }

  @Override
  public void close() {
    execute("DROP SCHEMA IF EXISTS ${schema} CASCADE");
  }
}
