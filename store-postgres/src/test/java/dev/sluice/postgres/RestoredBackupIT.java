package dev.sluice.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.Sluice;
import dev.sluice.Task;
import dev.sluice.Worker;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A database that goes back to an earlier state while a worker lives. */
class RestoredBackupIT {
  @RegisterExtension static final TestServer SERVER = TestServer.CURRENT;

  private static final Task<Integer> TASK = Task.named("t", Integer.class).maxConcurrent(1).build();
  private static final int JOBS = 20;

  private final List<Long> tokens = new CopyOnWriteArrayList<>();
  private PostgresFixture fixture;
  private Sluice sluice;
  private Worker worker;

  @BeforeEach
  void start() {
    fixture = new PostgresFixture(SERVER);
    sluice = fixture.open();
    worker =
        sluice
            .worker()
            .poll(Duration.ofMillis(100))
            .handle(TASK, (n, context) -> tokens.add(context.fencingToken()))
            .start();
    for (int i = 0; i < JOBS; i++) {
      run();
    }
  }

  @AfterEach
  void stop() {
    worker.close();
    sluice.close();
    fixture.close();
  }

  /** Runs one more job. */
  private void run() {
    int before = tokens.size();
    sluice.submit(TASK, 1);
    await().atMost(Duration.ofSeconds(30)).until(() -> tokens.size() > before);
  }

  private void execute(String sql) throws SQLException {
    try (Connection connection = fixture.openConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql.formatted(fixture.namespace()));
    }
  }

  /** A standby that lagged behind takes over, and the worker's session goes on. */
  @Test
  void sequenceGoesBackUnderASession_tokensGoOn() throws Exception {
    execute("ALTER SEQUENCE %s.token RESTART WITH 1");
    run();
    assertThat(tokens).isSorted().doesNotHaveDuplicates();
  }

  /** The backup knows neither the worker nor its tokens. */
  @Test
  void workerIsNotInTheBackup_itsNextSessionGoesOnWithTheTokens() throws Exception {
    execute("ALTER SEQUENCE %s.token RESTART WITH 1");
    execute("DELETE FROM %s.worker");
    run();
    assertThat(tokens).isSorted().doesNotHaveDuplicates();
  }
}
