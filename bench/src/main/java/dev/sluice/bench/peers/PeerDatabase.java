package dev.sluice.bench.peers;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.sluice.bench.server.Endpoint;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

/** What contenders in this process share: connections and schema files. */
final class PeerDatabase {
  private PeerDatabase() {}

  /** A pool of connections; the caller closes it. */
  static HikariDataSource pool(Endpoint database, int connections) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(database.jdbcUrl());
    config.setUsername(database.user());
    config.setPassword(database.password());
    config.setMaximumPoolSize(connections);
    return new HikariDataSource(config);
  }

  /** Runs a file of SQL that lies beside this class. */
  static void install(Endpoint database, String file) throws IOException, SQLException {
    try (InputStream script = PeerDatabase.class.getResourceAsStream(file);
        Connection connection = database.connect();
        Statement statement = connection.createStatement()) {
      statement.execute(new String(script.readAllBytes(), StandardCharsets.UTF_8));
    }
  }
}
