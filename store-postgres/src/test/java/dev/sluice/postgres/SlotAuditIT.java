package dev.sluice.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import dev.sluice.AuditReport;
import dev.sluice.AuditReport.Finding;
import dev.sluice.AuditReport.Kind;
import dev.sluice.Diagnosis;
import dev.sluice.Group;
import dev.sluice.JobState;
import dev.sluice.Sluice;
import dev.sluice.Submission;
import dev.sluice.Task;
import dev.sluice.Worker;
import dev.sluice.spi.Exchange;
import dev.sluice.spi.JobStore;
import dev.sluice.spi.WorkerRegistration;
import dev.sluice.spi.WorkerSession;
import dev.sluice.tck.OverlapMeter;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What only a hand in the tables can break, the audit finds and puts right. */
class SlotAuditIT {
  @RegisterExtension static final TestServer SERVER = TestServer.CURRENT;

  private static final Group PLAIN = Group.of("plain");
  private static final Group KEYED = Group.of("keyed").key("a");
  private static final Duration LEASE = Duration.ofMinutes(5);

  private PostgresFixture fixture;
  private Sluice sluice;
  private JobStore store;

  @BeforeEach
  void open() {
    fixture = new PostgresFixture(SERVER);
    sluice = fixture.open();
    store = fixture.openStore();
  }

  @AfterEach
  void close() {
    store.close();
    sluice.close();
    fixture.close();
  }

  private void execute(String sql) throws Exception {
    try (Connection connection = fixture.openConnection();
        Statement statement = connection.createStatement()) {
      assertThat(statement.executeUpdate(sql.replace("${schema}", fixture.namespace())))
          .isPositive();
    }
  }

  /** Has the group PLAIN count its slots and lend them, at this limit. */
  private void heatAt(int limit) {
    sluice.concurrency().setLimit(PLAIN, limit);
    fixture.heat(PLAIN.toString());
  }

  private boolean acquire(Group group, int limit) {
    return sluice
        .concurrency()
        .tryAcquire(group, OptionalInt.of(limit), "holder", "process", LEASE)
        .isPresent();
  }

  @Test
  void wrongCounter_isReportedThenRepaired() throws Exception {
    heatAt(3);
    assertThat(acquire(PLAIN, 3)).isTrue();
    execute("UPDATE ${schema}.slot_group SET used = 1 WHERE group_name = 'plain'");

    AuditReport seen = store.limits().audit(false);
    assertThat(seen.repaired()).isFalse();
    assertThat(seen.findings())
        .extracting(Finding::group, Finding::kind, Finding::count)
        .containsExactly(tuple(PLAIN, Kind.MISCOUNTED, 2));
    assertThat(seen.violations()).isZero();
    assertThat(acquire(PLAIN, 3)).as("no place is free by the counter").isFalse();

    AuditReport repaired = store.limits().audit(true);
    assertThat(repaired.repaired()).isTrue();
    assertThat(repaired.findings()).isEqualTo(seen.findings());
    assertThat(store.limits().audit(true)).isEqualTo(AuditReport.CLEAN);
    assertThat(acquire(PLAIN, 3)).isTrue();
    assertThat(acquire(PLAIN, 3)).isTrue();
    assertThat(acquire(PLAIN, 3)).isFalse();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void slotsOfNobody_areReportedThenFreed(boolean hot) throws Exception {
    if (hot) {
      heatAt(2);
    }
    UUID nobody = UUID.randomUUID();
    assertThat(acquire(PLAIN, 2)).isTrue();
    assertThat(acquire(KEYED, 1)).isTrue();
    execute(
        "UPDATE ${schema}.slot SET worker_id = '%s', holder = NULL, holder_worker = NULL, expires_at = NULL"
            .formatted(nobody));

    AuditReport seen = store.limits().audit(false);
    assertThat(seen.findings())
        .extracting(Finding::group, Finding::kind, Finding::count)
        .containsExactly(tuple(KEYED, Kind.LEAKED, 1), tuple(PLAIN, Kind.LEAKED, 1));
    assertThat(seen.findings()).allMatch(finding -> finding.seen().contains(nobody.toString()));
    assertThat(sluice.concurrency().status(PLAIN).active()).isEqualTo(1);

    assertThat(store.limits().audit(true).repaired()).isTrue();
    assertThat(store.limits().audit(false)).isEqualTo(AuditReport.CLEAN);
    assertThat(acquire(KEYED, 1)).isTrue();
    assertThat(acquire(PLAIN, 2)).isTrue();
    assertThat(acquire(PLAIN, 2)).isTrue();
    assertThat(acquire(PLAIN, 2)).isFalse();
  }

  @Test
  void slotBeyondTheLimit_isAViolation() throws Exception {
    assertThat(acquire(KEYED, 1)).isTrue();
    execute(
        """
        INSERT INTO ${schema}.slot (group_name, slot, token, holder, holder_worker, expires_at)
        VALUES ('keyed/a', 1, 0, 'intruder', 'nobody', clock_timestamp() + interval '1 hour')
        """);

    AuditReport seen = store.limits().audit(true);
    assertThat(seen.findings())
        .extracting(Finding::group, Finding::kind, Finding::count)
        .containsExactly(tuple(KEYED, Kind.EXCEEDED, 1));
    assertThat(seen.violations()).isEqualTo(1);
  }

  @Test
  void violation_isSeenAndWorkGoesOn() throws Exception {
    assertThat(acquire(KEYED, 1)).isTrue();
    execute(
        """
        INSERT INTO ${schema}.slot (group_name, slot, token, holder, holder_worker, expires_at)
        VALUES ('keyed/a', 1, 0, 'intruder', 'nobody', clock_timestamp() + interval '1 hour')
        """);
    try (Connection busy = fixture.openConnection();
        Statement statement = busy.createStatement()) {
      busy.setAutoCommit(false);
      statement.execute(
          "SELECT pg_advisory_xact_lock_shared(%1$s.rules_lock())".formatted(fixture.namespace()));

      AuditReport seen =
          CompletableFuture.supplyAsync(() -> store.limits().audit(true)).get(30, TimeUnit.SECONDS);
      assertThat(seen.violations()).as("found though a claim is under way").isEqualTo(1);
      assertThat(seen.repaired()).isFalse();
    }
  }

  @Test
  void severalWorkersWithoutSlots_areOneFindingPerGroup() throws Exception {
    Task<Integer> task = Task.named("plain", Integer.class).maxConcurrent(4).build();
    sluice.submitAll(task, Collections.nCopies(4, 1));
    CountDownLatch release = new CountDownLatch(1);
    try (Worker one = blocked(task, release);
        Worker two = blocked(task, release)) {
      await()
          .atMost(Duration.ofSeconds(30))
          .until(() -> sluice.jobs().counts().get(JobState.RUNNING) == 4);
      fixture.heat("plain");
      execute("DELETE FROM ${schema}.slot");
      execute("UPDATE ${schema}.slot_group SET used = 0 WHERE used > 0");

      assertThat(store.limits().audit(true).findings())
          .extracting(Finding::group, Finding::kind, Finding::count)
          .containsExactly(tuple(PLAIN, Kind.UNCOVERED, 4));
      release.countDown();
    }
  }

  @Test
  void runningJobsThatNameNoSlot_areOneFindingPerGroup() throws Exception {
    Task<Integer> task =
        Task.named("plain", Integer.class)
            .maxConcurrent(4)
            .maxConcurrentPer("k", n -> "same", 4)
            .build();
    sluice.submitAll(task, Collections.nCopies(4, 1));
    CountDownLatch release = new CountDownLatch(1);
    // One worker: two that claim at the same moment would make the group hot, and jobs name no slot
    // then.
    try (Worker worker =
        sluice.worker().concurrency(4).handle(task, (n, context) -> release.await()).start()) {
      await()
          .atMost(Duration.ofSeconds(30))
          .until(() -> sluice.jobs().counts().get(JobState.RUNNING) == 4);
      assertThat(store.limits().audit(true)).isEqualTo(AuditReport.CLEAN);
      execute("UPDATE ${schema}.job SET slots[1] = NULL");

      assertThat(store.limits().audit(true).findings())
          .extracting(Finding::group, Finding::kind, Finding::count)
          .containsExactly(tuple(PLAIN, Kind.UNCOVERED, 4));
      execute("UPDATE ${schema}.job SET slots = NULL");

      assertThat(store.limits().audit(true).findings())
          .extracting(Finding::group, Finding::kind, Finding::count)
          .containsExactly(
              tuple(PLAIN, Kind.UNCOVERED, 4),
              tuple(PLAIN.dimension("k", "same"), Kind.UNCOVERED, 4));
      release.countDown();
    }
  }

  /** Of jobs that name one slot, one runs at a time; those that wait for it cover no other. */
  @Test
  void slotNamedByTwoRunningJobs_coversOneOfThem() throws Exception {
    sluice.concurrency().setLimit(PLAIN, 2);
    try (WorkerSession worker = session()) {
      List<UUID> jobs = submitPlain(4);
      nameSlot(worker, 0, true, jobs.get(0));
      nameSlot(worker, 0, false, jobs.get(1));
      nameSlot(worker, 1, false, jobs.get(2));
      assertThat(store.limits().audit(true)).isEqualTo(AuditReport.CLEAN);

      nameSlot(worker, 0, true, jobs.get(3));
      assertThat(store.limits().audit(true).findings())
          .extracting(Finding::group, Finding::kind, Finding::count)
          .containsExactly(tuple(PLAIN, Kind.UNCOVERED, 1));
    }
  }

  @Test
  void slotsNamedBeyondTheLimit_areAViolation() throws Exception {
    sluice.concurrency().setLimit(PLAIN, 2);
    try (WorkerSession worker = session()) {
      List<UUID> jobs = submitPlain(3);
      for (int slot = 0; slot < 3; slot++) {
        nameSlot(worker, slot, false, jobs.get(slot));
      }

      AuditReport seen = store.limits().audit(true);
      assertThat(seen.findings())
          .extracting(Finding::group, Finding::kind, Finding::count)
          .containsExactly(tuple(PLAIN, Kind.EXCEEDED, 1));
      assertThat(seen.violations()).isEqualTo(1);
    }
  }

  /** One number, and yet two jobs run at a limit of 1. */
  @Test
  void slotNamedByTwoWorkers_isAViolation() throws Exception {
    sluice.concurrency().setLimit(PLAIN, 1);
    try (WorkerSession one = session();
        WorkerSession two = session()) {
      List<UUID> jobs = submitPlain(2);
      nameSlot(one, 0, true, jobs.get(0));
      nameSlot(two, 0, true, jobs.get(1));

      assertThat(store.limits().audit(true).findings())
          .extracting(Finding::group, Finding::kind, Finding::count)
          .containsExactly(tuple(PLAIN, Kind.EXCEEDED, 1));
    }
  }

  /** Neither the start of a job that was claimed before nor a group that becomes hot is new. */
  @Test
  void loweredLimit_isNoViolationWhileItDrains() throws Exception {
    sluice.concurrency().setLimit(PLAIN, 3);
    try (WorkerSession worker = session()) {
      List<UUID> jobs = submitPlain(3);
      for (int slot = 0; slot < 3; slot++) {
        nameSlot(worker, slot, slot == 0, jobs.get(slot));
      }
      sluice.concurrency().setLimit(PLAIN, 1);
      execute("UPDATE ${schema}.job SET started_at = clock_timestamp()");
      assertThat(store.limits().audit(false)).as("cold").isEqualTo(AuditReport.CLEAN);

      fixture.heat("plain");
      assertThat(sluice.concurrency().status(PLAIN).active()).isEqualTo(3);
      assertThat(store.limits().audit(false)).as("hot").isEqualTo(AuditReport.CLEAN);
    }
  }

  private List<UUID> submitPlain(int jobs) {
    Task<Integer> task = Task.named("plain", Integer.class).build();
    return sluice.submitAll(task, Collections.nCopies(jobs, 1)).stream()
        .map(Submission::id)
        .toList();
  }

  /** Has a worker claim a job in this slot of its task's own group. */
  private void nameSlot(WorkerSession worker, int slot, boolean started, UUID job)
      throws Exception {
    execute(
        """
        UPDATE ${schema}.job SET state = 2, worker_id = '%s', token = nextval('${schema}.token'), slots = ARRAY[%d],
          started_at = CASE WHEN %s THEN clock_timestamp() END
        WHERE id = '%s'
        """
            .formatted(worker.workerId(), slot, started, job));
  }

  private Worker blocked(Task<Integer> task, CountDownLatch release) {
    return sluice.worker().concurrency(2).handle(task, (n, context) -> release.await()).start();
  }

  @Test
  void repairedLimit_holdsAndLosesNobody() throws Exception {
    Task<Integer> task = Task.named("plain", Integer.class).maxConcurrent(2).build();
    OverlapMeter meter = new OverlapMeter();
    heatAt(2);
    execute("UPDATE ${schema}.slot_group SET used = capacity WHERE group_name = 'plain'");
    sluice.submitAll(task, Collections.nCopies(40, 1));
    try (Worker worker =
        sluice
            .worker()
            .handle(
                task,
                (n, context) -> {
                  try (OverlapMeter.Run run = meter.begin("plain")) {
                    Thread.sleep(3);
                  }
                })
            .start()) {
      assertThat(store.limits().audit(true).findings())
          .extracting(Finding::kind)
          .containsExactly(Kind.MISCOUNTED);
      await()
          .atMost(Duration.ofSeconds(30))
          .until(() -> sluice.jobs().counts().get(JobState.SUCCEEDED) == 40);
    }
    assertThat(meter.peak("plain")).isBetween(1, 2);
    assertThat(store.limits().audit(false)).isEqualTo(AuditReport.CLEAN);
  }

  /** As a call would leave them that the server carried out after its worker had given it up. */
  @Test
  void whatALiveWorkerDoesNotList_isReportedThenTakenFromIt() throws Exception {
    heatAt(2);
    try (WorkerSession worker = session()) {
      UUID other = sluice.submit(Task.named("other", Integer.class).build(), 1).id();
      UUID cancelled = sluice.submit(Task.named("other", Integer.class).build(), 1).id();
      execute(
          "UPDATE ${schema}.job SET state = 2, worker_id = '%s', token = nextval('${schema}.token'), started_at = clock_timestamp()"
              .formatted(worker.workerId()));
      execute(
          "INSERT INTO ${schema}.slot (group_name, slot, token, worker_id) VALUES ('plain', 0, nextval('${schema}.token'), '%s')"
              .formatted(worker.workerId()));
      execute("UPDATE ${schema}.slot_group SET used = 1 WHERE group_name = 'plain' AND n = 0");
      assertThat(sluice.jobs().cancel(cancelled)).isTrue();
      assertThat(store.limits().audit(false)).as("not said yet").isEqualTo(AuditReport.CLEAN);
      worker.attest(Map.of(), List.of());

      AuditReport seen = store.limits().audit(false);
      assertThat(seen.findings())
          .extracting(Finding::group, Finding::kind, Finding::count)
          .containsExactly(
              tuple(Group.of("other"), Kind.UNLISTED, 2), tuple(PLAIN, Kind.UNLISTED, 1));
      assertThat(finding("slots").good()).isFalse();
      assertThat(finding("slots").remedy().orElseThrow()).contains("--fix");

      assertThat(store.limits().audit(true).repaired()).isTrue();
      assertThat(store.limits().audit(false)).isEqualTo(AuditReport.CLEAN);
      assertThat(sluice.jobs().get(other).orElseThrow().state()).isEqualTo(JobState.READY);
      assertThat(sluice.jobs().get(cancelled).orElseThrow().state()).isEqualTo(JobState.CANCELLED);
      assertThat(sluice.concurrency().status(PLAIN).active()).isZero();
    }
  }

  @Test
  void jobThatALiveWorkerDoesNotList_givesUpTheSlotItNames() throws Exception {
    sluice.concurrency().setLimit(PLAIN, 1);
    try (WorkerSession worker = session()) {
      List<UUID> jobs = submitPlain(2);
      nameSlot(worker, 0, true, jobs.get(0));
      worker.attest(Map.of(), List.of());

      assertThat(store.limits().audit(false).findings())
          .extracting(Finding::group, Finding::kind, Finding::count)
          .containsExactly(tuple(PLAIN, Kind.UNLISTED, 1));
      assertThat(sluice.concurrency().status(PLAIN).active()).isEqualTo(1);

      assertThat(store.limits().audit(true).repaired()).isTrue();
      assertThat(store.limits().audit(false)).isEqualTo(AuditReport.CLEAN);
      assertThat(sluice.jobs().get(jobs.get(0)).orElseThrow().state()).isEqualTo(JobState.READY);
      assertThat(sluice.concurrency().status(PLAIN).active()).isZero();
    }
  }

  /** Claims and slots that came after the worker had spoken, and those it listed, are its own. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void whatALiveWorkerHas_isNotTakenFromIt(boolean hot) throws Exception {
    sluice.concurrency().setLimit(PLAIN, 2);
    if (hot) {
      fixture.heat("plain");
    }
    Task<Integer> task = Task.named("plain", Integer.class).build();
    try (WorkerSession worker = session()) {
      worker.reconcile(Map.of());
      sluice.submit(task, 1);
      Exchange.Answer first = worker.exchange(claimOne());
      worker.attest(Map.of(first.jobs().get(0).id(), first.jobs().get(0).token()), first.slots());
      sluice.submit(task, 2);
      assertThat(worker.exchange(claimOne()).jobs()).hasSize(1);

      assertThat(store.limits().audit(true)).isEqualTo(AuditReport.CLEAN);
      assertThat(sluice.concurrency().status(PLAIN).active()).isEqualTo(2);

      worker.attest(Map.of(), List.of());
      worker.reconcile(Map.of(first.jobs().get(0).id(), first.jobs().get(0).token()));
      assertThat(store.limits().audit(false))
          .as("what was said before a reconcile")
          .isEqualTo(AuditReport.CLEAN);
    }
  }

  private static Exchange claimOne() {
    return new Exchange(
        List.of(),
        Set.of(),
        Map.of(),
        List.of(),
        new Exchange.Demand(1, List.of(new Exchange.TaskDemand("plain", 1, 0)), Map.of()));
  }

  private WorkerSession session() {
    return store.openSession(
        new WorkerRegistration("w", Set.of("default"), Set.of("plain"), Map.of(), LEASE));
  }

  @Test
  void jobsOfAWorkerNotOnRecord_areStuckUntilRepaired() throws Exception {
    Task<Integer> task = Task.named("t", Integer.class).build();
    UUID id = sluice.submit(task, 1).id();
    execute(
        "UPDATE ${schema}.job SET state = 2, worker_id = '%s', started_at = clock_timestamp()"
            .formatted(UUID.randomUUID()));
    assertThat(finding("stuck jobs").good()).isFalse();

    assertThat(store.limits().audit(true)).isEqualTo(AuditReport.CLEAN);
    assertThat(finding("stuck jobs").good()).isTrue();
    assertThat(sluice.jobs().get(id).orElseThrow().state()).isEqualTo(JobState.READY);
  }

  @Test
  void cancelledJobOfAWorkerNotOnRecord_doesNotRunAgain() throws Exception {
    UUID id = sluice.submit(Task.named("t", Integer.class).build(), 1).id();
    execute(
        "UPDATE ${schema}.job SET state = 2, worker_id = '%s', started_at = clock_timestamp(), cancel_requested = true"
            .formatted(UUID.randomUUID()));

    store.limits().audit(true);
    assertThat(sluice.jobs().get(id).orElseThrow().state()).isEqualTo(JobState.CANCELLED);
  }

  @Test
  void checkup_saysWhatTheAuditFound() throws Exception {
    assertThat(finding("slots").good()).isTrue();
    assertThat(finding("clock").figures()).containsKey("clock_ahead_s");
    assertThat(finding("isolation").seen()).contains("read committed");
    heatAt(3);
    acquire(PLAIN, 3);
    execute("UPDATE ${schema}.slot_group SET used = 1 WHERE group_name = 'plain'");

    Diagnosis.Finding slots = finding("slots");
    assertThat(slots.good()).isFalse();
    assertThat(slots.seen()).contains("plain", "miscounted");
    assertThat(slots.remedy().orElseThrow()).contains("--fix");
  }

  private Diagnosis.Finding finding(String subject) {
    Optional<Diagnosis.Finding> found =
        Sluice.diagnose(fixture.options()).findings().stream()
            .filter(finding -> finding.subject().equals(subject))
            .findFirst();
    return found.orElseThrow();
  }
}
