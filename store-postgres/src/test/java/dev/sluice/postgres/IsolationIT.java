package dev.sluice.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.OnLimit;
import dev.sluice.Sluice;
import dev.sluice.SluiceOptions;
import dev.sluice.Submission;
import dev.sluice.Task;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A database whose default isolation changes while the store is open. */
class IsolationIT {
  @RegisterExtension static final TestServer SERVER = TestServer.CURRENT;

  private static final int THREADS = 8;
  private static final int ROUNDS = 25;
  private static final Task<Integer> TASK = Task.named("t", Integer.class).build();

  private final String database = "isolation_" + UUID.randomUUID().toString().replace("-", "");

  private static void execute(String sql) throws SQLException {
    try (Connection connection = SERVER.openConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  @BeforeEach
  void createDatabase() throws SQLException {
    execute("CREATE DATABASE " + database);
  }

  @AfterEach
  void dropDatabase() throws SQLException {
    execute("DROP DATABASE " + database + " WITH (FORCE)");
  }

  private Sluice open() {
    String url = SERVER.url().replaceAll("/[^/]*$", "/" + database);
    return Sluice.open(SluiceOptions.url(url).connections(THREADS));
  }

  @Test
  void stricterDefaultAfterOpening_rejectsAsBefore() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    try (Sluice sluice = open()) {
      execute(
          "ALTER DATABASE %s SET default_transaction_isolation = 'repeatable read'"
              .formatted(database));
      for (int round = 0; round < ROUNDS; round++) {
        String group = "g" + round;
        CountDownLatch go = new CountDownLatch(1);
        List<Future<Submission>> all = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
          all.add(
              threads.submit(
                  () -> {
                    go.await();
                    return sluice.submit(
                        TASK,
                        1,
                        o -> o.concurrencyGroup(group).concurrencyLimit(1).onLimit(OnLimit.REJECT));
                  }));
        }
        go.countDown();
        int admitted = 0;
        for (Future<Submission> one : all) {
          admitted += one.get() instanceof Submission.Submitted ? 1 : 0;
        }
        assertThat(admitted).as("admitted at a limit of 1, round %d", round).isEqualTo(1);
      }
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  void functionThatRelyOnIt_refuseAStricterTransaction() throws Exception {
    try (PostgresFixture fixture = new PostgresFixture(SERVER);
        Sluice sluice = fixture.open();
        Connection connection = fixture.openConnection();
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      for (String call :
          List.of("set_limit('g', 'operator', 1, 'me')", "lock_for_reject(ARRAY['g'], ARRAY[1])")) {
        assertThatThrownBy(
                () -> statement.execute("SELECT %s.%s".formatted(fixture.namespace(), call)))
            .isInstanceOfSatisfying(
                SQLException.class,
                e ->
                    assertThat(SqlErrors.translate("here", e))
                        .hasMessageContaining("REPEATABLE READ")
                        .hasMessageContaining("Set the isolation of the connection"));
        connection.rollback();
      }
      assertThatThrownBy(
              () ->
                  sluice.submit(
                      connection, TASK, 1, o -> o.concurrencyGroup("g").onLimit(OnLimit.REJECT)))
          .hasMessageContaining("Set the isolation of the connection");
    }
  }
}
