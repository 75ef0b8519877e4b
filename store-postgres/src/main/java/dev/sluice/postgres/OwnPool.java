package dev.sluice.postgres;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.pool.HikariPool.PoolInitializationException;
import dev.sluice.StoreUnavailableException;
import dev.sluice.spi.StoreSettings;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A pool that belongs to the store: of connections that it opens by URL, or that it gets from a
 * data source that opens a new one each time. One more than {@code connections}, which is for the
 * {@link NotificationListener}.
 */
final class OwnPool implements ConnectionSource {
  private static final Logger log = LoggerFactory.getLogger(OwnPool.class);
  private static final long CONNECTION_TIMEOUT_MS = 10_000;

  /**
   * The locks of the protocol are followed by reads that must see what the lock waited for. The
   * isolation is set on every connection: the pool's own setting asks the first one, and the
   * server's default may change later.
   *
   * <p>Then plans are made that the first calls would wait for. That must not keep a connection
   * from being opened: the schema may not be there yet, or the server be read-only.
   */
  private static final String PREPARE_CONNECTION =
      """
      SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL READ COMMITTED;
      DO $$
      BEGIN
        PERFORM ${schema}.warm_up();
      EXCEPTION WHEN OTHERS THEN
        NULL;
      END
      $$
      """;

  private final HikariDataSource pool;

  private OwnPool(HikariDataSource pool) {
    this.pool = pool;
  }

  static OwnPool at(PostgresUrl url, StoreSettings settings) {
    HikariConfig config = newConfig(settings);
    config.setJdbcUrl(url.jdbcUrl());
    config.setUsername(url.user());
    config.setPassword(url.password());
    // The driver's own defaults wait forever for a server that has vanished without a word.
    config.addDataSourceProperty("connectTimeout", "10");
    config.addDataSourceProperty("socketTimeout", "120");
    config.addDataSourceProperty("tcpKeepAlive", "true");
    config.addDataSourceProperty("ApplicationName", "sluice");
    return open(config, Database.nameOf(url));
  }

  static OwnPool around(DataSource dataSource, StoreSettings settings) {
    HikariConfig config = newConfig(settings);
    config.setDataSource(dataSource);
    return open(config, Database.GIVEN);
  }

  private static HikariConfig newConfig(StoreSettings settings) {
    HikariConfig config = new HikariConfig();
    config.setPoolName("sluice-" + settings.namespace());
    config.setMaximumPoolSize(settings.connections() + 1);
    config.setMinimumIdle(1);
    config.setConnectionTimeout(CONNECTION_TIMEOUT_MS);
    config.setConnectionInitSql(PREPARE_CONNECTION.replace("${schema}", settings.namespace()));
    return config;
  }

  private static OwnPool open(HikariConfig config, String server) {
    try {
      return new OwnPool(new HikariDataSource(config));
    } catch (PoolInitializationException e) {
      throw e.getCause() instanceof SQLException cause
          ? SqlErrors.translate(server, cause)
          : new StoreUnavailableException(
              "PostgreSQL at " + server + " cannot be reached: " + e.getMessage(), e);
    } catch (RuntimeException e) {
      throw new StoreUnavailableException(
          "PostgreSQL at " + server + " cannot be used: " + e.getMessage(), e);
    }
  }

  @Override
  public Loan borrow() throws SQLException {
    Connection connection = pool.getConnection();
    return new Loan(connection, () -> giveBack(connection));
  }

  /** The pool sets autocommit back when the connection returns. */
  private static void giveBack(Connection connection) {
    try {
      connection.close();
    } catch (SQLException e) {
      log.debug("A connection could not be given back.", e);
    }
  }

  @Override
  public Loan keep() throws SQLException {
    return borrow();
  }

  @Override
  public boolean canKeep() {
    return true;
  }

  @Override
  public void close() {
    pool.close();
  }
}
