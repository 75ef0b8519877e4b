package dev.sluice.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.InvalidRequestException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PostgresUrlTest {
  @Test
  void userAndPassword_areTakenOutAndDecoded() {
    PostgresUrl url =
        PostgresUrl.parse("postgresql://me:p%40ss%2Fw+rd@db.example:6432/app?sslmode=require");

    assertThat(url.jdbcUrl()).isEqualTo("jdbc:postgresql://db.example:6432/app?sslmode=require");
    assertThat(url.user()).isEqualTo("me");
    assertThat(url.password()).isEqualTo("p@ss/w+rd");
  }

  @Test
  void noCredentials_areLeftToTheDriver() {
    PostgresUrl url = PostgresUrl.parse("postgres://localhost/app");

    assertThat(url.jdbcUrl()).isEqualTo("jdbc:postgresql://localhost/app");
    assertThat(url.user()).isNull();
    assertThat(url.password()).isNull();
  }

  @Test
  void jdbcUrl_isTakenAsItIs_andPrintedWithoutItsPassword() {
    PostgresUrl url = PostgresUrl.parse("jdbc:postgresql://h/d?user=u&password=secret&ssl=true");

    assertThat(url.jdbcUrl()).contains("password=secret");
    assertThat(url.toString()).doesNotContain("secret").contains("ssl=true");
  }

  @Test
  void atSignInAParameter_isTakenAsItIs() {
    assertThat(PostgresUrl.parse("jdbc:postgresql://h/d?user=me@corp&password=p@ss").jdbcUrl())
        .endsWith("?user=me@corp&password=p@ss");
    assertThat(PostgresUrl.parse("postgresql://h/d?user=me@corp&ssl=true").jdbcUrl())
        .isEqualTo("jdbc:postgresql://h/d?user=me@corp&ssl=true");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "postgresql:",
        "postgresql://",
        "postgresql://host",
        "postgresql://ho st/d",
        "postgresql:///d",
        "postgresql://me:s3c/ret@host/d",
        "postgresql://me:1/s3cret@host/d",
        "postgresql://me:s3c?ret@host/d",
        "postgresql://me:1/2?s3cret@host/d",
        "postgresql://me:1/2?s3c=ret@host/d",
        "postgresql://me:1/2#s3cret@host/d",
        "jdbc:postgresql://me:s3cret@host/d",
        "jdbc:postgresql://me:s3c?ret@host/d"
      })
  void malformed_isRefusedWithAnExample(String url) {
    assertThatThrownBy(() -> PostgresUrl.parse(url))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("postgresql://user:password@host:5432/database")
        .hasMessageNotContaining("s3c");
  }
}
