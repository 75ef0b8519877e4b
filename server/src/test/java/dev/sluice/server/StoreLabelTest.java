package dev.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StoreLabelTest {
  @ParameterizedTest
  @CsvSource({
    "postgresql://ada:s3cret@db.example.com:5432/app?ssl=true, postgresql, app",
    "'postgresql://ada:s3cret@one:5432,two:5432/app', postgresql, app",
    "jdbc:postgresql://db/app?user=ada&password=s3cret, postgresql, app",
    "postgresql://ada:s3cret@db.example.com, postgresql, db.example.com",
    "postgresql://ada:s3cret@db/x@y/app, postgresql, ***",
    "s3://bucket/some/prefix?endpoint=http://127.0.0.1:7480, s3, bucket/some/prefix",
    "s3://bucket, s3, bucket",
    "file:./data, file, data",
    "file:/var/lib/jobs/, file, jobs",
    "embedded:, embedded, embedded",
    "embedded:/srv/pg, embedded, pg",
    "memory:, memory, memory"
  })
  void name_isThatOfTheDatabaseBucketOrDirectory(String url, String kind, String name) {
    assertThat(StoreLabel.of(url).kind()).isEqualTo(kind);
    assertThat(StoreLabel.of(url).name()).isEqualTo(name);
    assertThat(StoreLabel.of(url).toString()).doesNotContain("s3cret");
  }
}
