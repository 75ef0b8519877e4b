package dev.sluice.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Sluice;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Names are sorted as bytes, whatever the collation of the database. */
class CollationIT {
  @RegisterExtension static final TestServer SERVER = TestServer.CURRENT;

  private PostgresFixture fixture;

  @BeforeEach
  void openFixture() {
    fixture = new PostgresFixture(SERVER);
  }

  @AfterEach
  void closeFixture() {
    fixture.close();
  }

  /** Where punctuation is passed over, the lane of alpha comes before the lane behind zeta. */
  @Test
  void jobsSetAside_areFoundBesideTheLanesOfTasks() throws Exception {
    try (Sluice created = fixture.open();
        Connection connection = fixture.openConnection();
        Statement statement = connection.createStatement()) {
      for (String job : new String[] {"'alpha', 'alpha', '{}'", "'beta', '*zeta', '{zeta}'"}) {
        execute(
            statement,
            """
            INSERT INTO ${schema}.job (id, queue, shard, state, priority, run_at, payload, task, lane, groups)
            VALUES (gen_random_uuid(), 'default', 0, 1, 0, now(), '1', %s)
            """
                .formatted(job));
      }
      execute(statement, "SELECT ${schema}.call_back_forgotten('', 10)");
      try (ResultSet row =
          statement.executeQuery(
              "SELECT lane FROM ${schema}.job WHERE task = 'beta'"
                  .replace("${schema}", fixture.namespace()))) {
        row.next();
        assertThat(row.getString(1)).isEqualTo("");
      }
    }
  }

  @Test
  void columnsOfNames_areOfTheCollationOfBytes() throws Exception {
    try (Sluice created = fixture.open();
        Connection connection = fixture.openConnection();
        Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                """
                SELECT string_agg(DISTINCT i.indexrelid::regclass::text, ', ')
                FROM pg_index i
                JOIN pg_class c ON c.oid = i.indrelid
                WHERE c.relnamespace = '${schema}'::regnamespace AND 100 = ANY (i.indcollation)
                """
                    .replace("${schema}", fixture.namespace()))) {
      row.next();
      assertThat(row.getString(1)).as("indexes in the collation of the database").isNull();
    }
  }

  private void execute(Statement statement, String sql) throws Exception {
    statement.execute(sql.replace("${schema}", fixture.namespace()));
  }
}
