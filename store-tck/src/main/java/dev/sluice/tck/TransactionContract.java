package dev.sluice.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.InvalidRequestException;
import dev.sluice.JobState;
import dev.sluice.OnLimit;
import dev.sluice.Submission;
import dev.sluice.Task;
import dev.sluice.spi.Capability;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/**
 * Submitting in the caller's transaction. A store that cannot says so by capability and by
 * exception; each test then checks just that.
 */
abstract class TransactionContract extends ContractTopic {
  private static final Task<Integer> TASK = task("transactional");

  TransactionContract(Supplier<StoreFixture> opener) {
    super(opener);
  }

  @FunctionalInterface
  private interface OnConnection {
    void run(Connection connection) throws Exception;
  }

  /** Runs this on a connection with an open transaction, or checks that the store refuses. */
  private void inTransaction(OnConnection work) throws Exception {
    if (!can(Capability.TRANSACTIONAL_SUBMIT)) {
      Connection none =
          (Connection)
              Proxy.newProxyInstance(
                  Connection.class.getClassLoader(),
                  new Class<?>[] {Connection.class},
                  (proxy, method, arguments) -> {
                    throw new AssertionError("a store without transactions used " + method);
                  });
      assertThatThrownBy(() -> sluice.submit(none, TASK, 1))
          .isInstanceOf(UnsupportedOperationException.class);
      assertThat(sluice.jobs().counts()).containsEntry(JobState.READY, 0L);
      return;
    }
    try (Connection connection = fixture.openConnection()) {
      connection.setAutoCommit(false);
      work.run(connection);
    }
  }

  @Test
  void submit_committed_existsFromThenOn() throws Exception {
    inTransaction(
        connection -> {
          UUID id = sluice.submit(connection, TASK, 1).id();
          assertThat(sluice.jobs().get(id)).as("before the commit").isEmpty();
          assertThat(manualWorker(TASK).claim("transactional", 1)).isEmpty();
          connection.commit();
          assertThat(state(id)).isEqualTo(JobState.READY);
          assertThat(ids(manualWorker(TASK).claim("transactional", 1))).containsExactly(id);
        });
  }

  @Test
  void submit_rolledBack_neverWas() throws Exception {
    inTransaction(
        connection -> {
          UUID id = sluice.submit(connection, TASK, 1, o -> o.dedupeKey("k")).id();
          connection.rollback();
          assertThat(sluice.jobs().get(id)).isEmpty();
          assertThat(sluice.submit(TASK, 2, o -> o.dedupeKey("k")).accepted())
              .as("the dedupe key is free again")
              .isTrue();
        });
  }

  @Test
  void submit_committed_wakesAnIdleWorker() throws Exception {
    BlockingQueue<Integer> ran = new LinkedBlockingQueue<>();
    closing(
        worker()
            .poll(pollUnlessPushed())
            .handle(TASK, (payload, context) -> ran.add(payload))
            .start());
    inTransaction(
        connection -> {
          sluice.submit(connection, TASK, 5);
          connection.commit();
          assertThat(ran.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isEqualTo(5);
        });
  }

  @Test
  void submit_leavesTheTransactionToItsOwner() throws Exception {
    inTransaction(
        connection -> {
          sluice.submit(connection, TASK, 1);
          assertThat(connection.getAutoCommit()).isFalse();
          assertThat(connection.isClosed()).isFalse();
          connection.rollback();
          assertThat(sluice.jobs().counts()).containsEntry(JobState.READY, 0L);
        });
  }

  @Test
  void submit_rejectInTransaction_countsWhatTheTransactionSubmitted() throws Exception {
    sluice.concurrency().setLimit("transactional", 2);
    inTransaction(
        connection -> {
          for (int i = 0; i < 2; i++) {
            assertThat(
                    sluice.submit(connection, TASK, i, o -> o.onLimit(OnLimit.REJECT)).accepted())
                .isTrue();
          }
          assertThat(sluice.submit(connection, TASK, 2, o -> o.onLimit(OnLimit.REJECT)))
              .isEqualTo(new Submission.Rejected(TASK.group(), 2, 2));
          connection.rollback();
          assertThat(sluice.submit(TASK, 3, o -> o.onLimit(OnLimit.REJECT)).accepted()).isTrue();
        });
  }

  @Test
  void reject_limitComesWithTheSubmit_holdsInTheTransaction() throws Exception {
    inTransaction(
        connection -> {
          for (int i = 0; i < 3; i++) {
            Submission submission =
                sluice.submit(
                    connection,
                    TASK,
                    1,
                    o -> o.concurrencyKey("k").concurrencyLimit(1).onLimit(OnLimit.REJECT));
            assertThat(submission)
                .isInstanceOf(i == 0 ? Submission.Submitted.class : Submission.Rejected.class);
          }
          connection.commit();
        });
  }

  @Test
  void submit_withAutoCommit_isRefused() throws Exception {
    inTransaction(
        connection -> {
          connection.setAutoCommit(true);
          assertThatThrownBy(() -> sluice.submit(connection, TASK, 1))
              .isInstanceOf(InvalidRequestException.class)
              .hasMessageContaining("setAutoCommit(false)");
          assertThat(sluice.jobs().counts()).containsEntry(JobState.READY, 0L);
        });
  }

  @Test
  void reject_transactionStaysOpen_dueJobsOfOthersStart() throws Exception {
    inTransaction(
        connection -> {
          sluice.concurrency().setLimit(TASK.group().key("k"), 5);
          submit(TASK, 5, o -> o.delay(Duration.ofMillis(50)));
          Thread.sleep(100);
          sluice.submit(connection, TASK, 1, o -> o.concurrencyKey("k").onLimit(OnLimit.REJECT));
          assertThat(manualWorker(TASK).claimAll("transactional", 10)).hasSize(5);
          connection.rollback();
        });
  }
}
