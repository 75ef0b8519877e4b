package dev.sluice.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.Sluice;
import dev.sluice.Task;
import dev.sluice.Worker;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/** How sleeping workers hear of work. */
class WakeUpIT {
  @RegisterExtension static final TestServer SERVER = TestServer.CURRENT;

  private static final Task<Integer> TASK = Task.named("wake", Integer.class).build();
  private static final Duration NEVER = Duration.ofHours(1);

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
  void sleepingWorker_isWokenByASubmitFromAnotherProcess_withoutPolling() {
    AtomicInteger done = new AtomicInteger();
    try (Sluice here = fixture.open();
        Sluice there = fixture.open();
        Worker worker =
            here.worker().handle(TASK, (n, job) -> done.incrementAndGet()).poll(NEVER).start()) {
      awaitSleeper();
      there.submit(TASK, 1);
      await().atMost(Duration.ofSeconds(10)).until(() -> done.get() == 1);
      awaitSleeper();
      there.submit(TASK, 2);
      await().atMost(Duration.ofSeconds(10)).until(() -> done.get() == 2);
    }
  }

  /** Each names the tasks in an order of its own, and workers begin to wait all the time. */
  @Test
  void wakeUps_atTheSameTime_doNotWaitForEachOtherInACircle() throws Exception {
    fixture.openStore().close();
    List<String> tasks = List.of("a", "b", "c", "d");
    for (String task : tasks) {
      fixture.execute(
          "SELECT ${schema}.register_worker(gen_random_uuid(), '%s', '{q}', '{%s}', '{}', '{}', 600000, 0)"
              .formatted(task, task));
    }
    List<CompletableFuture<Void>> calls = new ArrayList<>();
    for (int caller = 0; caller < 4; caller++) {
      List<String> order = new ArrayList<>(tasks);
      Collections.rotate(order, caller);
      calls.add(
          repeat(
              "SELECT wake('{%s}', '{q,q,q,q}', '{4,3,2,1}')".formatted(String.join(",", order))));
      calls.add(
          repeat(
              "UPDATE worker SET waiting_for = tasks WHERE name = '%s'"
                  .formatted(tasks.get(caller))));
    }
    for (CompletableFuture<Void> call : calls) {
      call.get(1, TimeUnit.MINUTES);
    }
  }

  /** Many times; ends with an error if the server refuses a call, as it does with a circle. */
  private CompletableFuture<Void> repeat(String statement) {
    return CompletableFuture.runAsync(
        () -> {
          try (Connection connection = fixture.openConnection();
              Statement call = connection.createStatement()) {
            call.execute("SET search_path = " + fixture.namespace());
            for (int i = 0; i < 500; i++) {
              call.execute(statement);
            }
          } catch (SQLException e) {
            throw new IllegalStateException(e);
          }
        },
        task -> new Thread(task).start());
  }

  @Test
  void sleepingWorker_isWokenWhenATransactionCommits() throws Exception {
    AtomicInteger done = new AtomicInteger();
    try (Sluice sluice = fixture.open();
        Connection connection = fixture.openConnection();
        Worker worker =
            sluice.worker().handle(TASK, (n, job) -> done.incrementAndGet()).poll(NEVER).start()) {
      awaitSleeper();
      connection.setAutoCommit(false);
      sluice.submit(connection, TASK, 1);
      assertThat(done).hasValue(0);
      connection.commit();
      await().atMost(Duration.ofSeconds(10)).until(() -> done.get() == 1);
    }
  }

  @Test
  void sleepingWorker_wakesForAScheduledJob_withoutPolling() {
    AtomicInteger done = new AtomicInteger();
    try (Sluice sluice = fixture.open();
        Worker worker =
            sluice.worker().handle(TASK, (n, job) -> done.incrementAndGet()).poll(NEVER).start()) {
      awaitSleeper();
      sluice.submit(TASK, 1, o -> o.delay(Duration.ofMillis(700)));
      await().atMost(Duration.ofSeconds(10)).until(() -> done.get() == 1);
    }
  }

  @Test
  void lostListeningConnection_losesNoJob() throws Exception {
    AtomicInteger done = new AtomicInteger();
    try (Sluice sluice = fixture.open();
        Worker worker =
            sluice.worker().handle(TASK, (n, job) -> done.incrementAndGet()).poll(NEVER).start()) {
      awaitSleeper();
      try (Connection connection = fixture.openConnection();
          Statement statement = connection.createStatement()) {
        statement.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN sluice_%s%%'"
                .formatted(fixture.namespace()));
      }
      sluice.submit(TASK, 1);
      await().atMost(Duration.ofSeconds(20)).until(() -> done.get() == 1);
    }
  }

  @Test
  void burstOfSubmits_isNotABurstOfNotifications() throws Exception {
    int jobs = 500;
    AtomicInteger done = new AtomicInteger();
    try (Connection connection = fixture.openConnection();
        Sluice sluice = fixture.open();
        Worker worker = sluice.worker().handle(TASK, (n, job) -> done.incrementAndGet()).start()) {
      awaitSleeper();
      try (Statement statement = connection.createStatement()) {
        statement.execute("LISTEN sluice_" + fixture.namespace());
      }
      for (int i = 0; i < jobs; i++) {
        sluice.submit(TASK, i);
      }
      await().atMost(Duration.ofSeconds(30)).until(() -> done.get() == jobs);
      PGNotification[] heard = connection.unwrap(PGConnection.class).getNotifications(100);
      assertThat(heard).hasSizeBetween(1, jobs / 2);
    }
  }

  /**
   * The submit looks for waiting workers before its commit, the worker begins to wait and looks for
   * jobs before it too, and neither sees the other.
   */
  @Test
  void workerThatBeginsToWaitWhileAJobIsBeingStored_isWokenAfterTheCommit() throws Exception {
    CountDownLatch running = new CountDownLatch(1);
    CountDownLatch finish = new CountDownLatch(1);
    CountDownLatch second = new CountDownLatch(1);
    try (Sluice sluice = fixture.open();
        Connection connection = fixture.openConnection();
        Statement statement = connection.createStatement();
        Worker worker =
            sluice
                .worker()
                .concurrency(1)
                .poll(NEVER)
                .handle(
                    TASK,
                    (n, job) -> {
                      if (n == 1) {
                        running.countDown();
                        finish.await();
                      } else {
                        second.countDown();
                      }
                    })
                .start()) {
      awaitSleeper();
      sluice.submit(TASK, 1);
      running.await();
      holdUpCommitsOfJobs(statement);
      CompletableFuture<Void> submit = CompletableFuture.runAsync(() -> sluice.submit(TASK, 2));
      awaitHeldUpCommit(statement);
      assertThat(
              number(
                  statement, "SELECT count(*) FROM ${schema}.worker WHERE waiting_for IS NOT NULL"))
          .isZero();
      // Each look for jobs takes a token: the worker looks, says that it waits, and looks again.
      long token = number(statement, "SELECT last_value FROM ${schema}.token");
      finish.countDown();
      awaitTrue(statement, "SELECT last_value >= %d FROM ${schema}.token".formatted(token + 2));
      number(statement, "SELECT pg_advisory_unlock(4711, hashtext('${schema}'))::integer");
      submit.join();
      assertThat(second.await(10, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void jobsSubmittedOneByOne_wakeAWorkerEach() throws Exception {
    CountDownLatch running = new CountDownLatch(2);
    CountDownLatch finish = new CountDownLatch(1);
    try (Sluice sluice = fixture.open();
        Worker one = blockingWorker(sluice, running, finish);
        Worker other = blockingWorker(sluice, running, finish)) {
      awaitSleepers(2);
      sluice.submit(TASK, 1);
      sluice.submit(TASK, 2);
      assertThat(running.await(10, TimeUnit.SECONDS)).isTrue();
      finish.countDown();
    }
  }

  @Test
  void singleJob_wakesItsWorkerInTheTransactionThatStoresIt() throws Exception {
    CountDownLatch running = new CountDownLatch(1);
    try (Sluice sluice = fixture.open();
        Connection connection = fixture.openConnection();
        Statement statement = connection.createStatement();
        Worker worker = blockingWorker(sluice, running, new CountDownLatch(0))) {
      awaitSleeper();
      holdUpCommitsOfJobs(statement);
      CompletableFuture<Void> submit = CompletableFuture.runAsync(() -> sluice.submit(TASK, 1));
      awaitHeldUpCommit(statement);
      // The row of the worker is locked by the submit, which has written it.
      assertThat(
              number(
                  statement,
                  "SELECT count(*) FROM (SELECT FROM ${schema}.worker FOR UPDATE SKIP LOCKED) w"))
          .isZero();
      number(statement, "SELECT pg_advisory_unlock(4711, hashtext('${schema}'))::integer");
      submit.join();
      assertThat(running.await(10, TimeUnit.SECONDS)).isTrue();
    }
  }

  private static Worker blockingWorker(
      Sluice sluice, CountDownLatch running, CountDownLatch finish) {
    return sluice
        .worker()
        .concurrency(1)
        .poll(NEVER)
        .handle(
            TASK,
            (n, job) -> {
              running.countDown();
              finish.await();
            })
        .start();
  }

  /** A transaction that stores a job waits at its commit until the lock taken here is given up. */
  private void holdUpCommitsOfJobs(Statement statement) throws SQLException {
    statement.execute(
        """
        CREATE FUNCTION ${schema}.hold_up() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN PERFORM pg_advisory_xact_lock_shared(4711, hashtext('${schema}')); RETURN NULL; END $$;
        CREATE CONSTRAINT TRIGGER hold_up AFTER INSERT ON ${schema}.job
          DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION ${schema}.hold_up();
        SELECT pg_advisory_lock(4711, hashtext('${schema}'))
        """
            .replace("${schema}", fixture.namespace()));
  }

  private void awaitHeldUpCommit(Statement statement) {
    awaitTrue(
        statement,
        """
        SELECT count(*) > 0 FROM pg_locks
        WHERE classid = 4711 AND objid = hashtext('${schema}')::oid AND NOT granted
        """);
  }

  private long number(Statement statement, String query) throws SQLException {
    try (ResultSet row = statement.executeQuery(query.replace("${schema}", fixture.namespace()))) {
      row.next();
      return row.getLong(1);
    }
  }

  private void awaitTrue(Statement statement, String condition) {
    await()
        .atMost(Duration.ofSeconds(20))
        .until(() -> number(statement, "SELECT (" + condition + ")::integer") == 1);
  }

  private void awaitSleeper() {
    awaitSleepers(1);
  }

  private void awaitSleepers(int workers) {
    await()
        .atMost(Duration.ofSeconds(10))
        .until(
            () -> {
              try (Connection connection = fixture.openConnection();
                  Statement statement = connection.createStatement();
                  var row =
                      statement.executeQuery(
                          "SELECT count(*) FROM %s.worker WHERE waiting_for IS NOT NULL"
                              .formatted(fixture.namespace()))) {
                row.next();
                return row.getInt(1) >= workers;
              }
            });
  }

  @Test
  void workersThatMeetInALargeGroup_doNotSleepWhileThereIsRoom() {
    sluiceOf(
        sluice -> {
          sluice.concurrency().setLimit(TASK.group(), 1_000);
          AtomicInteger running = new AtomicInteger();
          Semaphore finish = new Semaphore(0);
          List<Sluice> processes = new ArrayList<>();
          List<Worker> workers = new ArrayList<>();
          try {
            for (int i = 0; i < 3; i++) {
              Sluice process = fixture.open();
              processes.add(process);
              workers.add(
                  process
                      .worker()
                      .concurrency(64)
                      .poll(NEVER)
                      .handle(
                          TASK,
                          (n, job) -> {
                            running.incrementAndGet();
                            finish.acquire();
                          })
                      .start());
            }
            awaitSleeper();
            sluice.submitAll(TASK, Collections.nCopies(192, 1));
            await().atMost(Duration.ofSeconds(20)).until(() -> running.get() == 192);
          } finally {
            finish.release(1_000);
            workers.forEach(Worker::close);
            processes.forEach(Sluice::close);
          }
        });
  }

  private void sluiceOf(Consumer<Sluice> work) {
    try (Sluice sluice = fixture.open()) {
      work.accept(sluice);
    }
  }
}
