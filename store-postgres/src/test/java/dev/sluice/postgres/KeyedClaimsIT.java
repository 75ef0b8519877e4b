package dev.sluice.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.JobState;
import dev.sluice.Sluice;
import dev.sluice.Task;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Many workers take and give back slots of the same keys, hundreds in one transaction. */
class KeyedClaimsIT {
  @RegisterExtension static final TestServer SERVER = TestServer.CURRENT;

  private static final int JOBS = 12_000;
  private static final int KEYS = 3_000;
  private static final int WORKERS = 4;

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
  void sameKeysOnAllWorkers_nobodyWaitsInACircle() throws SQLException {
    Task<Integer> task =
        Task.named("t", Integer.class).maxConcurrentPer("key", n -> n % KEYS, 1).build();
    long before = deadlocks();
    try (Sluice sluice = Sluice.open(fixture.options())) {
      sluice.submitAll(task, IntStream.range(0, JOBS).boxed().toList());
      List<Sluice> processes = new ArrayList<>();
      try {
        for (int i = 0; i < WORKERS; i++) {
          Sluice process = Sluice.open(fixture.options());
          processes.add(process);
          process.worker().concurrency(25).handle(task, (n, job) -> {}).start();
        }
        Awaitility.await()
            .atMost(Duration.ofMinutes(2))
            .until(() -> sluice.jobs().counts().getOrDefault(JobState.SUCCEEDED, 0L) == JOBS);
      } finally {
        processes.forEach(Sluice::close);
      }
    }
    assertThat(deadlocks() - before).as("deadlocks the server had to break").isZero();
  }

  private long deadlocks() throws SQLException {
    try (Connection connection = fixture.openConnection();
        Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()")) {
      row.next();
      return row.getLong(1);
    }
  }
}
