package dev.sluice.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.sluice.AuditReport;
import dev.sluice.AuditReport.Finding;
import dev.sluice.AuditReport.Kind;
import dev.sluice.Group;
import dev.sluice.JobState;
import dev.sluice.Task;
import dev.sluice.spi.ClaimedJob;
import dev.sluice.spi.Exchange.TaskDemand;
import dev.sluice.spi.LimitStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * The audit: it finds what is wrong, and only that. What can go wrong inside a store alone, its own
 * tests provoke.
 */
abstract class AuditContract extends ContractTopic {
  private static final Task<Integer> LIMITED = task("limited", 2);
  private static final Group GROUP = LIMITED.group();

  AuditContract(Supplier<StoreFixture> opener) {
    super(opener);
  }

  private void assertClean() {
    for (boolean repair : new boolean[] {false, true}) {
      AuditReport report = store.limits().audit(repair);
      assertThat(report.findings()).isEmpty();
      assertThat(report.violations()).isZero();
    }
  }

  @Test
  void emptyStore_isClean() {
    assertClean();
  }

  @Test
  void runningAndWaitingJobsAndPermits_areClean() {
    Task<Integer> keyed =
        Task.named("keyed", Integer.class).maxConcurrentPer("k", n -> "k" + n % 3, 1).build();
    ManualWorker worker = manualWorker(LIMITED, keyed, task("free"));
    submit(LIMITED, 5);
    submit(task("free"), 3);
    sluice.submitAll(keyed, IntStream.range(0, 9).boxed().toList());
    List<ClaimedJob> running = new ArrayList<>(worker.claimAll("limited", 9));
    running.addAll(worker.claimAll("keyed", 9));
    running.addAll(worker.claimAll("free", 9));
    assertThat(running).hasSize(8);
    sluice
        .concurrency()
        .tryAcquire(Group.of("p"), OptionalInt.of(2), "holder", "process", LONG_LEASE)
        .orElseThrow();

    assertClean();
    worker.succeedAll(running);
    assertClean();
  }

  @Test
  void bufferedJobs_areClean() {
    ManualWorker worker = manualWorker(LIMITED);
    submit(LIMITED, 9);
    List<ClaimedJob> claimed = worker.claim(9, new TaskDemand("limited", 9, 3));
    assertThat(claimed).hasSizeGreaterThan(2);
    assertClean();
    worker.started(claimed.get(0), claimed.get(1));
    assertClean();
  }

  @Test
  void dueAudit_isMadeByOneOfAll() {
    LimitStore another = closing(fixture.openStore()).limits();

    assertThat(another.auditIfDue(Duration.ofHours(1))).contains(AuditReport.CLEAN);
    assertThat(store.limits().auditIfDue(Duration.ofHours(1))).isEmpty();
    assertThat(another.auditIfDue(Duration.ofHours(1))).isEmpty();
    assertThat(store.limits().auditIfDue(Duration.ZERO)).isPresent();
  }

  @Test
  void dueAudit_isDueAgainAfterTheInterval() {
    Duration interval = Duration.ofSeconds(2);
    assertThat(store.limits().auditIfDue(interval)).isPresent();

    await().until(() -> store.limits().auditIfDue(interval).isPresent());
  }

  @Test
  void dueAudit_askedForAtOnceByMany_isMadeOnce() throws Exception {
    List<LimitStore> clients = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      clients.add(closing(fixture.openStore()).limits());
    }
    List<CompletableFuture<Optional<AuditReport>>> answers =
        clients.stream()
            .map(c -> CompletableFuture.supplyAsync(() -> c.auditIfDue(Duration.ofHours(1))))
            .toList();

    int made = 0;
    for (CompletableFuture<Optional<AuditReport>> answer : answers) {
      made += answer.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).isPresent() ? 1 : 0;
    }
    assertThat(made).isEqualTo(1);
  }

  @Test
  void slotReleasedByForce_whileItsJobRuns_isAViolation() {
    submit(LIMITED, 3);
    ManualWorker worker = manualWorker(LIMITED);
    List<ClaimedJob> running = worker.claimAll("limited", 2);
    int slot = store.limits().status(GROUP).slots().get(0).slotId();
    assertThat(store.limits().forceRelease(GROUP, slot)).isPresent();

    AuditReport report = store.limits().audit(true);
    assertThat(report.findings())
        .extracting(Finding::group, Finding::kind, Finding::count)
        .containsExactly(tuple(GROUP, Kind.UNCOVERED, 1));
    assertThat(report.findings().get(0).seen()).isNotBlank();
    assertThat(report.violations()).isEqualTo(1);
    assertThat(report.isClean()).isFalse();
    assertThat(state(running.get(0).id())).as("nothing is killed").isEqualTo(JobState.RUNNING);

    worker.reconcile();
    worker.succeedAll(running);
    assertClean();
  }

  @Test
  void loweredUnderRunningJobs_isNoViolation() throws Exception {
    submit(LIMITED, 5);
    ManualWorker worker = manualWorker(LIMITED);
    List<ClaimedJob> running = worker.claimAll("limited", 2);
    assertThat(running).hasSize(2);
    setLimit(GROUP, 1, worker);
    assertThat(active(GROUP)).isEqualTo(2);

    assertClean();
    setLimit(GROUP, 0, worker);
    assertClean();
    worker.succeedAll(running);
    assertClean();
  }

  @Test
  void firstLimitBelowWhatRuns_isNoViolation() throws Exception {
    Task<Integer> free = task("free");
    submit(free, 6);
    ManualWorker worker = manualWorker(free);
    List<ClaimedJob> running = worker.claimAll("free", 5);
    assertThat(running).hasSize(5);
    setLimit(free.group(), 2, worker);

    assertClean();
    worker.succeedAll(running);
    assertClean();
  }

  @Test
  void deadWorker_isClean() {
    submit(LIMITED, 3);
    ManualWorker dead = manualWorker(shortLease(), LIMITED);
    assertThat(dead.claimAll("limited", 2)).hasSize(2);
    await()
        .until(
            () -> {
              assertClean();
              return !store.recover().deadWorkers().isEmpty();
            });
    assertClean();
  }

  @Test
  void busyWorkers_areCleanAtEveryMoment() {
    Task<Integer> limited = task("limited", 3);
    Task<Integer> keyed =
        Task.named("keyed", Integer.class)
            .maxConcurrent(5)
            .maxConcurrentPer("k", n -> "k" + n % 7, 1)
            .build();
    AtomicInteger ran = new AtomicInteger();
    for (int i = 0; i < 3; i++) {
      closing(
          worker(anotherProcess())
              .concurrency(8)
              .handle(limited, (n, context) -> ran.incrementAndGet())
              .handle(
                  keyed,
                  (n, context) -> {
                    ran.incrementAndGet();
                    Thread.sleep(n % 5);
                  })
              .start());
    }
    int jobs = 600;
    sluice.submitAll(limited, IntStream.range(0, jobs / 2).boxed().toList());
    sluice.submitAll(keyed, IntStream.range(0, jobs / 2).boxed().toList());

    List<Finding> findings = new ArrayList<>();
    await()
        .pollInterval(Duration.ofMillis(5))
        .until(
            () -> {
              findings.addAll(store.limits().audit(ran.get() % 2 == 0).findings());
              return sluice.jobs().counts().get(JobState.SUCCEEDED) == jobs;
            });
    assertThat(findings).isEmpty();
    assertClean();
  }
}
