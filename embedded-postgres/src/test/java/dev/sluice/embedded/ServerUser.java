package dev.sluice.embedded;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * A program that uses a server from a JVM of its own. It takes SQL on its input, a statement per
 * line, and answers each with one line: the first value, or {@code ok}.
 */
final class ServerUser {

  private ServerUser() {}

  public static void main(String[] args) throws IOException {
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    try (EmbeddedPostgres postgres = EmbeddedPostgres.join(Path.of(args[0]))) {
      System.out.println("> joined " + postgres.port());
      for (String line = in.readLine(); line != null && !line.equals("close"); ) {
        System.out.println("> " + answer(postgres, line));
        line = in.readLine();
      }
    }
    System.out.println("> closed");
    in.readLine();
  }

  private static String answer(EmbeddedPostgres postgres, String sql) {
    try (Connection connection = postgres.dataSource().getConnection();
        Statement statement = connection.createStatement()) {
      if (!statement.execute(sql)) {
        return "ok";
      }
      try (ResultSet rows = statement.getResultSet()) {
        return rows.next() ? rows.getString(1) : "none";
      }
    } catch (SQLException e) {
      return "failed: " + e;
    }
  }
}
