package dev.sluice.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Sluice;
import dev.sluice.embedded.EmbeddedPostgres;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class PostgresWorkflowIT extends WorkflowContract {
  /** Stays up for all tests of this process, because this has joined it. */
  static final EmbeddedPostgres SERVER =
      EmbeddedPostgres.join(Path.of("target", "test-postgres").toAbsolutePath());

  @Override
  String url() {
    return "embedded:" + SERVER.dataDirectory();
  }

  @Test
  void jobRemovedBehindItsBack_isSubmittedAgain() throws SQLException {
    Sluice sluice = stage.open();
    Workflows workflows = stage.closing(Workflows.on(sluice));
    UUID run = workflows.start(fanOut(3, 2, 2), null);
    try (Connection connection = SERVER.dataSource().getConnection();
        Statement statement = connection.createStatement()) {
      assertThat(
              statement.executeUpdate(
                  "DELETE FROM %s.job WHERE id = '%s'".formatted(stage.schema(), job(run, 1))))
          .isEqualTo(1);
    }
    workflows.tick(run);
    assertThat(sluice.jobs().get(job(run, 1))).isPresent();
    stage.serve(worker -> worker.handle(WORK, (payload, context) -> {}));
    workflows.tick(run);
    awaitState(workflows, run, RunState.SUCCEEDED);
  }
}
