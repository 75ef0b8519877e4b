package dev.sluice.embedded;

import java.sql.Connection;
import java.sql.SQLException;
import org.postgresql.ds.PGSimpleDataSource;

/** JDBC connections to a server on the loopback address. */
final class ServerConnections {

  static final String DATABASE = "postgres";
  private static final String LOOPBACK = "127.0.0.1";
  static final int LOGIN_SECONDS = 15;

  /** The server is starting, or stopping. */
  private static final String CANNOT_CONNECT_NOW = "57P03";

  /** The server began to stop while we were logging in. */
  private static final String ADMIN_SHUTDOWN = "57P01";

  private ServerConnections() {}

  static String url(int port) {
    return "jdbc:postgresql://" + LOOPBACK + ":" + port + "/" + DATABASE;
  }

  /** Logs in. A stranger on the port that accepts connections and says nothing is given up. */
  static Connection open(int port, Credentials credentials) throws SQLException {
    PGSimpleDataSource source = new PGSimpleDataSource();
    source.setUrl(url(port));
    source.setConnectTimeout(LOGIN_SECONDS);
    source.setSocketTimeout(LOGIN_SECONDS);
    Connection connection = source.getConnection(credentials.user(), credentials.password());
    connection.setNetworkTimeout(
        Runnable::run, 0); // That was for the login; queries may take long.
    return connection;
  }

  /** Whether a login failed because no server was there, as opposed to one that said no. */
  static boolean isServerGone(SQLException e) {
    String state = e.getSQLState();
    return state != null
        && (state.startsWith("08")
            || state.equals(CANNOT_CONNECT_NOW)
            || state.equals(ADMIN_SHUTDOWN));
  }
}
