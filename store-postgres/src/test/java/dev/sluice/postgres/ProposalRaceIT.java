package dev.sluice.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Group;
import dev.sluice.OnLimit;
import dev.sluice.Sluice;
import dev.sluice.Submission;
import dev.sluice.SubmitOptions;
import dev.sluice.Task;
import dev.sluice.Worker;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Collections;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.postgresql.PGConnection;

/**
 * A submit gives a key its first limit while jobs of it run, and something else happens at the same
 * moment.
 */
class ProposalRaceIT {
  @RegisterExtension static final TestServer SERVER = TestServer.CURRENT;

  private static final Task<Integer> TASK = Task.named("t", Integer.class).build();

  private static final UnaryOperator<SubmitOptions> REJECT_SECOND =
      o -> o.concurrencyKey("k").concurrencyLimit(1).onLimit(OnLimit.REJECT);

  private final AtomicInteger running = new AtomicInteger();
  private final Semaphore finish = new Semaphore(0);
  private PostgresFixture fixture;

  @BeforeEach
  void openFixture() {
    fixture = new PostgresFixture(SERVER);
  }

  @AfterEach
  void closeFixture() {
    fixture.close();
  }

  private Worker startWorker(Sluice sluice) {
    return sluice
        .worker()
        .poll(Duration.ofMillis(50))
        .grace(Duration.ofMillis(1))
        .handle(
            TASK,
            (n, job) -> {
              running.incrementAndGet();
              try {
                finish.acquire();
              } finally {
                running.decrementAndGet();
              }
            })
        .start();
  }

  /**
   * Lets the limit of key k be proposed by a transaction that commits only after {@code meanwhile}
   * has begun.
   */
  private void proposeDuring(Integer limit, Runnable meanwhile) throws Exception {
    try (Connection connection = fixture.openConnection();
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      statement.execute(
          "SELECT %s.propose_limits(ARRAY['t/k'], ARRAY[%s]::int[])"
              .formatted(fixture.namespace(), limit == null ? "NULL" : limit));
      int pid = connection.unwrap(PGConnection.class).getBackendPID();
      CompletableFuture<Void> done = CompletableFuture.runAsync(meanwhile);
      Awaitility.await().until(() -> done.isDone() || isWaitedFor(pid));
      connection.commit();
      done.get(20, TimeUnit.SECONDS);
    }
  }

  /** Whether any connection waits for a lock, on a row or an advisory one, that this one has. */
  private boolean isWaitedFor(int pid) throws SQLException {
    try (Connection connection = fixture.openConnection();
        Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE %d = ANY (pg_blocking_pids(pid)))"
                    .formatted(pid))) {
      row.next();
      return row.getBoolean(1);
    }
  }

  @Test
  void workerSignsOffMeanwhile_noSlotIsLeftBehind() throws Exception {
    try (Sluice sluice = fixture.open()) {
      sluice.submit(TASK, 1, o -> o.concurrencyKey("k"));
      Worker worker = startWorker(sluice);
      Awaitility.await().until(() -> running.get() == 1);
      proposeDuring(1, worker::close);
      assertThat(sluice.concurrency().status(TASK.group().key("k")).active()).isZero();
    }
  }

  @Test
  void familyGetsALowerLimitMeanwhile_itHolds() throws Exception {
    Group key = TASK.group().key("k");
    try (Sluice sluice = fixture.open()) {
      sluice.submit(TASK, 1, o -> o.concurrencyKey("k"));
      try (Worker worker = startWorker(sluice)) {
        Awaitility.await().until(() -> running.get() == 1);
        proposeDuring(100, () -> sluice.concurrency().setLimit(TASK.group().anyKey(), 1));
        sluice.submitAll(TASK, Collections.nCopies(9, 1), o -> o.concurrencyKey("k"));
        Awaitility.await().during(Duration.ofMillis(500)).until(() -> running.get() == 1);
        assertThat(sluice.concurrency().status(key).limit()).hasValue(1);
        finish.release(100);
      }
    }
  }

  /** Leaves the number 1 of key k on record, forgotten. */
  private static void leaveForgottenNumber(Sluice sluice) {
    Submission first = sluice.submit(TASK, 1, o -> o.concurrencyKey("k").concurrencyLimit(1));
    assertThat(sluice.jobs().cancel(first.id())).isTrue();
  }

  @Test
  void sameNumberIsForgottenMeanwhile_permitIsTaken() throws Exception {
    Group key = TASK.group().key("k");
    try (Sluice sluice = fixture.open()) {
      leaveForgottenNumber(sluice);
      proposeDuring(
          null,
          () ->
              assertThat(
                      sluice
                          .concurrency()
                          .tryAcquire(key, OptionalInt.of(1), "me", "here", Duration.ofMinutes(1)))
                  .isPresent());
      assertThat(sluice.concurrency().status(key).limit()).hasValue(1);
    }
  }

  @Test
  void sameNumberIsForgottenMeanwhile_jobThatMayBeRejectedHasItOnRecord() throws Exception {
    try (Sluice sluice = fixture.open()) {
      leaveForgottenNumber(sluice);
      proposeDuring(
          null, () -> assertThat(sluice.submit(TASK, 1, REJECT_SECOND).accepted()).isTrue());
      assertThat(sluice.concurrency().status(TASK.group().key("k")).limit()).hasValue(1);
      assertThat(sluice.submit(TASK, 1, REJECT_SECOND).accepted()).isFalse();
    }
  }

  @Test
  void jobThatMayBeRejectedIsNotCommittedYet_itsNumberStays() throws Exception {
    try (Sluice sluice = fixture.open();
        Connection connection = fixture.openConnection()) {
      connection.setAutoCommit(false);
      assertThat(sluice.submit(connection, TASK, 1, REJECT_SECOND).accepted()).isTrue();
      sluice.submit(TASK, 1, o -> o.concurrencyKey("k"));
      connection.commit();

      assertThat(sluice.concurrency().status(TASK.group().key("k")).limit()).hasValue(1);
    }
  }
}
