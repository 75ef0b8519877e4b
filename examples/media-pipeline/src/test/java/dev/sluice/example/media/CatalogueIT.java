package dev.sluice.example.media;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.embedded.EmbeddedPostgres;
import dev.sluice.example.media.Catalogue.Entry;
import dev.sluice.throttle.CpuBudget;
import dev.sluice.throttle.Environment;
import dev.sluice.throttle.Throttles;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CatalogueIT {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final int PERMITS = 4;

  @TempDir private static Path directory;
  private static EmbeddedPostgres postgres;

  private final Environment environment =
      new Environment(
          Map.of(
              "DB_MAX_INFLIGHT", String.valueOf(PERMITS),
              "RETRY_ATTEMPTS", "100",
              "RETRY_BASE_DELAY_MS", "5"));
  private final Throttles throttles = Throttles.from(environment, CpuBudget.detect());
  private final Timeline timeline = new Timeline(span -> {});
  private final Catalogue catalogue =
      new Catalogue(postgres.dataSource(), throttles, environment, timeline);

  @BeforeAll
  static void open() {
    postgres = EmbeddedPostgres.join(directory.resolve("postgres"));
  }

  @AfterAll
  static void close() {
    postgres.close();
  }

  @BeforeEach
  void create() throws SQLException {
    execute("DROP TABLE IF EXISTS video");
    catalogue.create();
  }

  @Test
  void record_twice_keepsTheFirst() throws Exception {
    assertThat(catalogue.record(entry("a"))).isEqualTo(1);
    assertThat(catalogue.record(entry("b"))).isEqualTo(2);
    assertThat(catalogue.record(new Entry("a", "elsewhere", 9, 9))).isEqualTo(1);
    assertThat(query("SELECT count(*) FROM video WHERE playlist = 'elsewhere'")).isZero();
  }

  @Test
  void record_manyAtOnce_numbersWithoutAGapWithinTheLimit() throws Exception {
    List<Long> numbers =
        Throttles.mapConcurrently(
            IntStream.range(0, 20).boxed().toList(),
            dev.sluice.throttle.Throttle.of("all", 20),
            "test",
            i -> catalogue.record(entry("video-" + i)));
    assertThat(numbers)
        .containsExactlyInAnyOrderElementsOf(LongStream.rangeClosed(1, 20).boxed().toList());
    assertThat(timeline.lanes(Label.RECORD::equals)).hasSizeBetween(1, PERMITS);
  }

  /**
   * The catalogue's transaction has chosen its number and is held before it inserts; meanwhile
   * another takes the same number and commits. No order of the two could have come to that.
   */
  @Test
  void record_meanwhileAnotherTakesItsNumber_isTriedAgain() throws Exception {
    execute(
        """
        CREATE OR REPLACE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          PERFORM pg_advisory_xact_lock(42);
          RETURN NEW;
        END $$;
        CREATE TRIGGER hold BEFORE INSERT ON video FOR EACH ROW EXECUTE FUNCTION hold();
        """);
    try (Connection other = postgres.dataSource().getConnection();
        Statement statement = other.createStatement()) {
      statement.execute("SELECT pg_advisory_lock(42)");
      CompletableFuture<Long> number =
          throttles.http().runAsync("test", () -> catalogue.record(entry("ours")));
      await()
          .atMost(PATIENCE)
          .until(
              () -> query("SELECT count(*) FROM pg_locks WHERE NOT granted AND objid = 42") == 1);
      statement.execute(
          """
          BEGIN ISOLATION LEVEL SERIALIZABLE;
          INSERT INTO video SELECT 'theirs', coalesce(max(number), 0) + 1, '', 0, 0 FROM video;
          COMMIT;
          """);
      statement.execute("SELECT pg_advisory_unlock(42)");
      assertThat(number.get()).isEqualTo(2);
    }
    assertThat(catalogue.retries()).isEqualTo(1);
    assertThat(query("SELECT number FROM video WHERE id = 'theirs'")).isEqualTo(1);
    assertThat(timeline.spans()).hasSize(2);
  }

  private static Entry entry(String id) {
    return new Entry(id, id + "/master.m3u8", 3, 1_000);
  }

  private static void execute(String sql) throws SQLException {
    try (Connection connection = postgres.dataSource().getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private static long query(String sql) throws SQLException {
    try (Connection connection = postgres.dataSource().getConnection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return row.getLong(1);
    }
  }
}
