package dev.sluice.postgres;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.OptionalInt;
import javax.sql.DataSource;
import org.postgresql.PGConnection;

/** What can be found out about the pool behind a data source. */
final class PoolSize {
  /** HikariCP; DBCP 2; Tomcat; c3p0 and UCP. */
  private static final List<String> GETTERS =
      List.of("getMaximumPoolSize", "getMaxTotal", "getMaxActive", "getMaxPoolSize");

  private PoolSize() {}

  /**
   * How many connections a pool has at most; empty if it does not tell by one of the usual getters,
   * or has no bound.
   */
  static OptionalInt of(DataSource dataSource) {
    Object pool = dataSource;
    try {
      if (dataSource.isWrapperFor(HikariDataSource.class)) {
        pool = dataSource.unwrap(HikariDataSource.class);
      }
    } catch (SQLException | RuntimeException | AbstractMethodError e) {
      pool = dataSource;
    }
    for (String getter : GETTERS) {
      try {
        if (pool.getClass().getMethod(getter).invoke(pool) instanceof Integer size && size > 0) {
          return OptionalInt.of(size);
        }
      } catch (ReflectiveOperationException | RuntimeException e) {
        continue; // another kind of pool
      }
    }
    return OptionalInt.empty();
  }

  /**
   * Whether a connection outlives its return, told by a trial. It is taken for pooled if the
   * driver's own connection is hidden.
   */
  static boolean isPooled(DataSource dataSource) throws SQLException {
    Object real;
    try (Connection connection = dataSource.getConnection()) {
      real =
          connection.isWrapperFor(PGConnection.class)
              ? connection.unwrap(PGConnection.class)
              : null;
    }
    return !(real instanceof Connection driver) || !driver.isClosed();
  }
}
