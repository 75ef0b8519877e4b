package dev.sluice.bench.server;

import dev.sluice.InvalidRequestException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;

/**
 * Where a database is and how to log in.
 *
 * @param password empty if none is needed
 */
public record Endpoint(String host, int port, String database, String user, String password) {
  private static final int DEFAULT_PORT = 5432;

  /**
   * What a URL as {@link #url} writes it says.
   *
   * @throws InvalidRequestException if it cannot be read
   */
  public static Endpoint parse(String url) {
    try {
      URI uri = new URI(url);
      String[] login = uri.getUserInfo() == null ? new String[0] : uri.getUserInfo().split(":", 2);
      String database = uri.getPath() == null ? "" : uri.getPath().replaceFirst("^/", "");
      if (uri.getHost() == null || database.isEmpty()) {
        throw new URISyntaxException("…", "no host or no database");
      }
      return new Endpoint(
          uri.getHost(),
          uri.getPort() < 0 ? DEFAULT_PORT : uri.getPort(),
          database,
          login.length > 0 ? login[0] : System.getProperty("user.name"),
          login.length > 1 ? login[1] : "");
    } catch (URISyntaxException e) {
      // The URL itself stays out of the message: it may hold a password.
      throw new InvalidRequestException(
          "The store's URL cannot be read. Write postgresql://user:password@host:port/database.",
          e);
    }
  }

  /** The same server, another database. */
  public Endpoint withDatabase(String other) {
    return new Endpoint(host, port, other, user, password);
  }

  /** As {@code Sluice.open} takes it, password included; never print it. */
  public String url() {
    return "postgresql://%s:%s@%s:%d/%s"
        .formatted(encoded(user), encoded(password), host, port, database);
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }

  /** As JDBC takes it, without user and password. */
  public String jdbcUrl() {
    return "jdbc:postgresql://%s:%d/%s".formatted(host, port, database);
  }

  /** A connection of its own. */
  public Connection connect() throws SQLException {
    return DriverManager.getConnection(jdbcUrl(), user, password);
  }
}
