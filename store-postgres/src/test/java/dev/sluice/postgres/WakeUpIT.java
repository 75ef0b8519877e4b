package dev.sluice.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.Sluice;
import dev.sluice.Task;
import dev.sluice.Worker;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Semaphore;
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

  private void awaitSleeper() {
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
                return row.getInt(1) > 0;
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
