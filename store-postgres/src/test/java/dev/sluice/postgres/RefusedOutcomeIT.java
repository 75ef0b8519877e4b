package dev.sluice.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.JobFailure;
import dev.sluice.JobInfo;
import dev.sluice.JobState;
import dev.sluice.Sluice;
import dev.sluice.Task;
import dev.sluice.Worker;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A job of which the server takes down no end at all. */
class RefusedOutcomeIT {
  @RegisterExtension static final TestServer SERVER = TestServer.CURRENT;

  private static final Task<Integer> CURSED =
      Task.named("cursed", Integer.class).maxConcurrent(1).build();
  private static final Task<Integer> GOOD = Task.named("good", Integer.class).build();

  private PostgresFixture fixture;
  private Sluice sluice;

  @BeforeEach
  void open() {
    fixture = new PostgresFixture(SERVER);
    sluice = fixture.open();
  }

  @AfterEach
  void close() {
    sluice.close();
    fixture.close();
  }

  private void refuseTheCursed(String sqlState) throws Exception {
    try (Connection connection = fixture.openConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(
          """
          CREATE FUNCTION %1$s.refuse() RETURNS trigger LANGUAGE plpgsql
          AS $$ BEGIN RAISE EXCEPTION 'No end' USING ERRCODE = '%2$s'; END $$;
          CREATE TRIGGER refuse BEFORE INSERT ON %1$s.finished_job
          FOR EACH ROW WHEN (NEW.task = 'cursed') EXECUTE FUNCTION %1$s.refuse()
          """
              .formatted(fixture.namespace(), sqlState));
    }
  }

  private void awaitStart(UUID job) {
    await().until(() -> sluice.jobs().get(job).orElseThrow().progress().startedAt().isPresent());
  }

  @ParameterizedTest
  @ValueSource(strings = {"23514", "54000"})
  void noEndIsTaken_runsOnceAndTheWorkerGoesOn(String sqlState) throws Exception {
    refuseTheCursed(sqlState);
    AtomicInteger runs = new AtomicInteger();
    UUID cursed = sluice.submit(CURSED, 1).id();
    try (Worker worker =
        sluice
            .worker()
            .handle(
                CURSED,
                (n, context) -> {
                  runs.incrementAndGet();
                  // Long enough to be on record as started.
                  awaitStart(context.jobId());
                })
            .handle(GOOD, (n, context) -> {})
            .start()) {
      await().atMost(Duration.ofSeconds(10)).until(() -> runs.get() > 0);
      for (int i = 0; i < 5; i++) {
        UUID good = sluice.submit(GOOD, i).id();
        await()
            .atMost(Duration.ofSeconds(10))
            .until(() -> sluice.jobs().get(good).orElseThrow().state() == JobState.SUCCEEDED);
      }
      assertThat(runs).as("runs of the job").hasValue(1);
      assertThat(sluice.concurrency().audit(false).findings()).as("what is amiss").isEmpty();
      JobInfo job = sluice.jobs().get(cursed).orElseThrow();
      assertThat(job.state()).isEqualTo(JobState.SCHEDULED);
      assertThat(job.failures()).extracting(JobFailure::type).containsExactly("OutcomeRefused");
    }
  }

  /** Burying it for its worker stopped the recovery of all, and no worker could start. */
  @Test
  void noEndIsTaken_askedToStop_othersGoOnWhenItsWorkerEnds() throws Exception {
    refuseTheCursed("23505");
    CountDownLatch started = new CountDownLatch(1);
    UUID cursed = sluice.submit(CURSED, 1).id();
    try (Worker worker =
        sluice
            .worker()
            .handle(
                CURSED,
                (n, context) -> {
                  started.countDown();
                  new CountDownLatch(1).await();
                })
            .start()) {
      started.await();
      assertThat(sluice.jobs().cancel(cursed)).isTrue();
    }

    assertThat(sluice.workers().list()).as("workers that could not sign off").isEmpty();
    UUID good = sluice.submit(GOOD, 1).id();
    try (Worker other = sluice.worker().handle(GOOD, (n, context) -> {}).start()) {
      await()
          .atMost(Duration.ofSeconds(10))
          .until(() -> sluice.jobs().get(good).orElseThrow().state() == JobState.SUCCEEDED);
    }
    assertThat(sluice.jobs().get(cursed)).as("the job, which is not lost").isPresent();
  }
}
