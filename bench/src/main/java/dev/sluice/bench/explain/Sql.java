package dev.sluice.bench.explain;

import dev.sluice.StoreUnavailableException;
import dev.sluice.bench.server.Endpoint;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

/** Statements beside the store's. */
final class Sql {
  private Sql() {}

  /** Executes one on a connection of its own. */
  static void execute(Endpoint endpoint, String sql) {
    try (Connection connection = endpoint.connect();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    } catch (SQLException e) {
      throw new StoreUnavailableException("'%s' failed: %s".formatted(sql, e.getMessage()), e);
    }
  }
}
