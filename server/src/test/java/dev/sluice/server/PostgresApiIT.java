package dev.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.Sluice;
import dev.sluice.SluiceOptions;
import dev.sluice.embedded.EmbeddedPostgres;
import dev.sluice.server.ServerFixture.Reply;
import java.nio.file.Path;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** The API on PostgreSQL. */
class PostgresApiIT extends ApiContract {
  /** Stays up for all tests of this process, because this has joined it. */
  private static final EmbeddedPostgres SERVER =
      EmbeddedPostgres.join(Path.of("target", "test-postgres").toAbsolutePath());

  private static String newSchema() {
    return "t_" + UUID.randomUUID().toString().replace("-", "").substring(0, 20);
  }

  @Override
  Sluice open() {
    return Sluice.open(SluiceOptions.url("embedded:" + SERVER.dataDirectory()).schema(newSchema()));
  }

  @Test
  void storeGone_forAWhile_isSaidAndTheLastSampleStays() throws Exception {
    BreakableDataSource source = new BreakableDataSource(SERVER.dataSource());
    Sluice sluice = Sluice.open(SluiceOptions.dataSource(source).schema(newSchema()));
    try (ServerFixture api = new ServerFixture(sluice, s -> s)) {
      assertThat(api.post("/api/v1/jobs", "{\"task\":\"a\"}").status()).isEqualTo(201);
      await()
          .atMost(Duration.ofSeconds(30))
          .until(() -> api.get("/api/v1/overview").json().at("/counts/ready").asInt() == 1);
      source.breakDown();
      await().atMost(Duration.ofSeconds(60)).until(() -> api.get("/readyz").status() == 503);
      Reply overview = api.get("/api/v1/overview");
      assertThat(overview.status()).isEqualTo(200);
      assertThat(overview.json().at("/counts/ready").asInt()).isEqualTo(1);
      assertThat(overview.json().has("stale_since")).isTrue();
      Reply jobs = api.get("/api/v1/jobs");
      assertThat(jobs.status()).isEqualTo(503);
      assertThat(jobs.header("Retry-After")).isNotEmpty();
      assertThat(jobs.response().body()).doesNotContain("SQL").doesNotContain("Exception");
      assertThat(api.get("/healthz").status()).isEqualTo(200);
      source.mend();
      await().atMost(Duration.ofSeconds(60)).until(() -> api.get("/readyz").status() == 200);
      assertThat(api.get("/api/v1/overview").json().has("stale_since")).isFalse();
    }
  }
}
