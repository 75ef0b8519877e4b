package dev.sluice.postgres;

import dev.sluice.InvalidRequestException;
import dev.sluice.StoreUrls;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;

/**
 * Where a PostgreSQL is, and who we are there.
 *
 * @param jdbcUrl the driver's URL, without credentials
 * @param user the user, or null to leave it to the driver
 * @param password the password, or null to leave it to the driver ({@code PGPASSWORD} does not
 *     reach it; a {@code .pgpass} file does)
 */
record PostgresUrl(String jdbcUrl, String user, String password) {
  static boolean isPostgres(String url) {
    return url.startsWith("postgresql:")
        || url.startsWith("postgres:")
        || url.startsWith("jdbc:postgresql:");
  }

  static PostgresUrl parse(String url) {
    if (isAmbiguous(url)) {
      throw malformed();
    }
    if (url.startsWith("jdbc:")) {
      return new PostgresUrl(url, null, null);
    }
    URI uri;
    try {
      uri = new URI(url);
    } catch (URISyntaxException e) {
      throw malformed();
    }
    if (uri.getRawAuthority() == null
        || uri.getRawFragment() != null
        || uri.getRawPath() == null
        || uri.getRawPath().length() < 2) {
      throw malformed();
    }
    String authority = uri.getRawAuthority();
    int at = authority.lastIndexOf('@');
    String user = null;
    String password = null;
    if (at >= 0) {
      String[] credentials = authority.substring(0, at).split(":", 2);
      user = decode(credentials[0]);
      password = credentials.length > 1 ? decode(credentials[1]) : null;
    }
    String query = uri.getRawQuery() == null ? "" : "?" + uri.getRawQuery();
    return new PostgresUrl(
        "jdbc:postgresql://" + authority.substring(at + 1) + uri.getRawPath() + query,
        user,
        password);
  }

  /**
   * Whether an at sign stands where none belongs: the end of a password, most likely, with a slash
   * or a question mark in it. The driver would take the password for a host or a database, and name
   * it in its warnings.
   */
  private static boolean isAmbiguous(String url) {
    return url.matches("[^?]*//[^/?]*/[^?]*@.*")
        || url.matches("jdbc:[^?]*@.*")
        || url.matches(".*[?&][^=&]*@.*")
        || url.matches("[^?]*\\?.*@[^&]*/.*");
  }

  private static String decode(String part) {
    return URLDecoder.decode(part.replace("+", "%2B"), StandardCharsets.UTF_8);
  }

  private static InvalidRequestException malformed() {
    return new InvalidRequestException(
        "The PostgreSQL URL is malformed; write postgresql://user:password@host:5432/database, with special characters"
            + " in user and password percent-encoded.");
  }

  @Override
  public String toString() {
    return StoreUrls.masked(jdbcUrl);
  }
}
