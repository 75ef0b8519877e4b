package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is printed of a store's URL. */
class StoreUrlsTest {
  @ParameterizedTest
  @CsvSource({
    "postgresql://ada:s3cret@host/db, postgresql://ada:***@host/db",
    "postgresql://ada:s3c@ret@host:5432/db, postgresql://ada:***@host:5432/db",
    "postgresql://:s3cret@host/db, postgresql://:***@host/db",
    "postgresql://host/db?user=u&password=s3cret&ssl=true, postgresql://host/db?user=u&password=***&ssl=true",
    "postgresql://host/db?a=1&pass=s3cret, postgresql://host/db?a=1&pass=***",
    "postgresql://host/db?pwd=s3cret#s3cret, postgresql://host/db?pwd=***",
    "jdbc:postgresql://host:1/db?password=s3c@ret, jdbc:postgresql://***",
    "s3://bucket/p?secret_key=s3cret, s3://bucket/p?secret_key=***",
  })
  void masked_secret_isReplaced(String url, String masked) {
    assertThat(StoreUrls.masked(url)).isEqualTo(masked);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "postgresql://ada:s3c/ret@host/db",
        "postgresql://ada:1/s3cret@host/db",
        "postgresql://ada:s3c?ret@host/db",
        "postgresql://ada:s3c#ret@host/db",
        "postgresql://ada:x@s3c/ret@host/db",
        "postgresql://a/da:s3cret@host/db",
        "postgresql://ada:1?s3c=ret@host/db",
        "s3://bucket/p?endpoint=http://key:s3cret@host",
        "postgresql:ada:s3cret@host/db",
        "ada:s3cret@host/db",
        "s3cret@host//db:x@y",
        "file://ada:s3c/ret@host/x",
      })
  void masked_passwordWithSpecialCharacters_neverShows(String url) {
    assertThat(StoreUrls.masked(url)).endsWith("***").doesNotContain("s3c").doesNotContain("ret");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "postgresql://ada@host:5432/db?sslmode=require",
        "s3://bucket/folder@home",
        "file:/home/ada@example/data",
        "file:///home/ada@example/c:x",
        "file:./data?shards=2",
        "embedded:",
        "memory:",
        "nonsense"
      })
  void masked_noSecret_staysAsItIs(String url) {
    assertThat(StoreUrls.masked(url)).isEqualTo(url);
  }
}
