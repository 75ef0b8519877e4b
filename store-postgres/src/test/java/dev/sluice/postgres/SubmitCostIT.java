package dev.sluice.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.Sluice;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * What a submit reads, counted in pages. Its plans are made once for each connection: one that was
 * made while the tables were empty must do for full ones.
 */
@Isolated("it counts what the server does")
class SubmitCostIT {
  @RegisterExtension static final TestServer SERVER = TestServer.CURRENT;

  /** Five jobs: new ones, one with the id of a finished job, one with a taken dedupe key. */
  private static final String SUBMIT =
      """
      SELECT * FROM ${schema}.submit(
        ARRAY[gen_random_uuid(), gen_random_uuid(), md5('1')::uuid, gen_random_uuid(), gen_random_uuid()],
        ARRAY[true, false, true, false, true], array_fill('t'::text, ARRAY[5]), array_fill('default'::text, ARRAY[5]),
        array_fill(0, ARRAY[5]), array_fill(NULL::timestamptz, ARRAY[5]), array_fill(0::bigint, ARRAY[5]),
        array_fill(NULL::bigint, ARRAY[5]), ARRAY[NULL, NULL, NULL, 'k1', NULL], ARRAY['t/a', '', '', '', 't/b'],
        array_fill(NULL::text, ARRAY[5]), array_fill(NULL::integer, ARRAY[5]), array_fill('1'::text, ARRAY[5]),
        array_fill(NULL::uuid, ARRAY[5]), array_fill(NULL::text, ARRAY[5]), false)
      """;

  private static final String SUBMIT_ONE =
      """
      SELECT * FROM ${schema}.submit_one(
        gen_random_uuid(), false, 't', 'default', 0, NULL, 0, NULL, 'k1', 't/a', NULL, NULL, '1', NULL, NULL, false,
        false)
      """;

  private static final String FILL =
      """
      INSERT INTO ${schema}.job (id, task, queue, lane, shard, state, priority, run_at, groups, dedupe_key, payload)
      SELECT md5('job' || n)::uuid, 't', 'default', '', 0, 1, 0, now(), '{}', 'k' || n, '1' FROM generate_series(1, 20000) AS n;
      INSERT INTO ${schema}.finished_job (
        id, task, queue, state, priority, run_at, groups, attempt, token, finished_at, submitted_at, payload, failures)
      SELECT md5(n::text)::uuid, 't', 'default', 3, 0, now(), '{}', 1, 1, now(), now(), '1', '[]'
      FROM generate_series(1, 20000) AS n;
      INSERT INTO ${schema}.limit_rule (name, submit) SELECT 't/' || n, 1 FROM generate_series(1, 20000) AS n
      """;

  private PostgresFixture fixture;

  @BeforeEach
  void openFixture() {
    fixture = new PostgresFixture(SERVER);
  }

  @AfterEach
  void closeFixture() {
    fixture.close();
  }

  @Test
  void planMadeWhileTheTablesWereEmpty_readsFewPagesOfFullOnes() throws Exception {
    try (Sluice created = fixture.open();
        Connection connection = fixture.openConnection();
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      for (String submit : new String[] {SUBMIT, SUBMIT_ONE}) {
        for (int i = 0; i < 7; i++) {
          statement.execute(submit.replace("${schema}", fixture.namespace()));
        }
      }
      connection.rollback();
      statement.execute(FILL.replace("${schema}", fixture.namespace()));
      connection.commit();
      assertThat(pagesReadBy(statement, SUBMIT)).isLessThan(200);
      assertThat(pagesReadBy(statement, SUBMIT_ONE)).isLessThan(100);
      connection.rollback();
    }
  }

  private long pagesReadBy(Statement statement, String submit) throws Exception {
    String call = "EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) " + submit;
    try (ResultSet row = statement.executeQuery(call.replace("${schema}", fixture.namespace()))) {
      row.next();
      JsonNode plan = new ObjectMapper().readTree(row.getString(1)).get(0).get("Plan");
      return plan.get("Shared Hit Blocks").asLong() + plan.get("Shared Read Blocks").asLong();
    }
  }
}
