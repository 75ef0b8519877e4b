package dev.sluice.bench.explain;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.bench.server.BenchDatabase;
import dev.sluice.bench.server.BenchServer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.Test;

class PlanRecorderIT {
  private static final List<String> BAD_STORE =
      List.of(
          "CREATE TABLE job AS SELECT n AS id FROM generate_series(1, 5000) AS n",
          "CREATE TABLE slot AS SELECT 1 AS token",
          """
          CREATE FUNCTION claim() RETURNS bigint LANGUAGE plpgsql AS
          'BEGIN
             RETURN (SELECT count(*) FROM job WHERE id > 4990 AND EXISTS (SELECT FROM slot));
           END'
          """);

  @Test
  void functionThatScansATable_isSeenInside_andRefused() {
    try (BenchServer server = BenchServer.open("embedded:");
        BenchDatabase database = server.createDatabase("bad_store")) {
      BAD_STORE.forEach(sql -> Sql.execute(database.endpoint(), sql));
      PlanRecorder recorder = new PlanRecorder(database.endpoint());
      List<StatementPlan> plans = recorder.record(() -> claim(recorder));
      assertThat(plans)
          .extracting(StatementPlan::place)
          .containsExactly("claim, line 2", StatementPlan.CALL);
      assertThat(new PlanCheck(200, false).complaints(plans))
          .satisfiesExactlyInAnyOrder(
              complaint -> assertThat(complaint).contains("claim, line 2 reads 5,001 rows"),
              complaint -> assertThat(complaint).contains("reads all of job: a sequential scan"),
              complaint -> assertThat(complaint).contains("touches slot (Seq Scan)"));
    }
  }

  private static void claim(PlanRecorder recorder) {
    try (Connection connection = recorder.dataSource().getConnection();
        PreparedStatement statement = connection.prepareStatement("SELECT claim()")) {
      statement.executeQuery().close();
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }
}
