package dev.sluice.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Sluice;
import dev.sluice.Task;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Collections;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** New connections plan what their first calls need. */
class WarmUpIT {
  @RegisterExtension static final TestServer SERVER = TestServer.CURRENT;

  private static final Task<Integer> TASK = Task.named("warm", Integer.class).build();

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
  void warmUp_withoutAWorker_writesAndLocksNothing() throws SQLException {
    try (Sluice sluice = fixture.open();
        Connection connection = fixture.openConnection();
        Statement statement = connection.createStatement()) {
      sluice.submitAll(TASK, Collections.nCopies(10, 1));
      connection.setAutoCommit(false);
      execute(statement, "SELECT ${schema}.warm_up()");
      assertThat(text(statement, "SELECT txid_current_if_assigned()")).isNull();
      assertThat(
              text(
                  statement,
                  "SELECT count(*) FROM pg_locks WHERE pid = pg_backend_pid() AND locktype = 'advisory'"))
          .isEqualTo("0");
      assertThat(text(statement, "SELECT is_called FROM ${schema}.token")).isEqualTo("f");
    }
  }

  @Test
  void connectionOfOurOwn_isWarmedWhenItOpens() throws SQLException {
    replaceWarmUp("PERFORM nextval('${schema}.token')");
    try (Sluice sluice = fixture.open();
        Connection connection = fixture.openConnection();
        Statement statement = connection.createStatement()) {
      assertThat(text(statement, "SELECT is_called FROM ${schema}.token")).isEqualTo("t");
    }
  }

  @Test
  void warmUpThatFails_keepsNoConnectionFromOpening() throws SQLException {
    replaceWarmUp("RAISE EXCEPTION 'cold'");
    try (Sluice sluice = fixture.open()) {
      assertThat(sluice.submit(TASK, 1).id()).isNotNull();
    }
  }

  private void replaceWarmUp(String body) throws SQLException {
    fixture.open().close();
    try (Connection connection = fixture.openConnection();
        Statement statement = connection.createStatement()) {
      execute(
          statement,
          "CREATE OR REPLACE FUNCTION ${schema}.warm_up() RETURNS void LANGUAGE plpgsql AS $$ BEGIN "
              + body
              + "; END $$");
    }
  }

  private void execute(Statement statement, String sql) throws SQLException {
    statement.execute(sql.replace("${schema}", fixture.namespace()));
  }

  private String text(Statement statement, String sql) throws SQLException {
    try (ResultSet row = statement.executeQuery(sql.replace("${schema}", fixture.namespace()))) {
      row.next();
      return row.getString(1);
    }
  }
}
