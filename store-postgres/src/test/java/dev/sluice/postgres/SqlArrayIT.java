package dev.sluice.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Array;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.postgresql.jdbc.PgArray;

/** Arrays as the server receives them. */
class SqlArrayIT {
  @RegisterExtension static final TestServer SERVER = TestServer.CURRENT;

  private static List<?> elementsOf(SqlArray type) {
    return switch (type) {
      case BOOL -> Arrays.asList(true, null, false);
      case INT2 -> Arrays.asList((short) -1, null, Short.MAX_VALUE);
      case INT4 -> Arrays.asList(-1, null, Integer.MAX_VALUE);
      case INT8 -> Arrays.asList(-1L, null, Long.MAX_VALUE);
      case TEXT -> Arrays.asList("", null, "NULL", "{a,\"b\\\n}", "äöü\uD83D\uDE00");
      case UUID ->
          Arrays.asList(new UUID(0, 0), null, new UUID(-1, -1), new UUID(0x0123456789abcdefL, 42));
      case JSONB -> Arrays.asList("{\"a\": 1}", null);
      case TIMESTAMPTZ -> Arrays.asList(new java.sql.Timestamp(1_700_000_000_123L), null);
    };
  }

  @ParameterizedTest
  @EnumSource
  void array_arrivesAsItWasSent(SqlArray type) throws SQLException {
    try (Connection connection = SERVER.openConnection()) {
      assertThat(echo(connection, type, elementsOf(type))).isEqualTo(elementsOf(type));
      assertThat(echo(connection, type, List.of())).isEmpty();
    }
  }

  @ParameterizedTest
  @EnumSource(
      names = {"JSONB", "TIMESTAMPTZ"},
      mode = EnumSource.Mode.EXCLUDE)
  void array_isSentInBinary(SqlArray type) throws SQLException {
    try (Connection connection = SERVER.openConnection()) {
      assertThat(((PgArray) type.of(elementsOf(type)).on(connection)).toBytes()).isNotNull();
    }
  }

  @Test
  void connectionInSimpleQueryMode_getsIdsAsText() throws SQLException {
    PostgresUrl url = PostgresUrl.parse(SERVER.url());
    String simple =
        url.jdbcUrl() + (url.jdbcUrl().contains("?") ? "&" : "?") + "preferQueryMode=simple";
    try (Connection connection = DriverManager.getConnection(simple, url.user(), url.password())) {
      List<?> ids = elementsOf(SqlArray.UUID);
      assertThat(echo(connection, SqlArray.UUID, ids)).isEqualTo(ids);
    }
  }

  private static List<Object> echo(Connection connection, SqlArray type, List<?> elements)
      throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement("SELECT ?::%s[]".formatted(type.name()))) {
      Array sent = type.of(elements).on(connection);
      statement.setArray(1, sent);
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        return Arrays.asList((Object[]) row.getArray(1).getArray());
      }
    }
  }
}
