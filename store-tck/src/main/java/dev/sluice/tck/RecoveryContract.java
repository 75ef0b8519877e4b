package dev.sluice.tck;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Group;
import dev.sluice.JobState;
import dev.sluice.LeaseLostException;
import dev.sluice.Task;
import dev.sluice.spi.ClaimedJob;
import dev.sluice.spi.Exchange.TaskDemand;
import dev.sluice.spi.RecoveryReport;
import dev.sluice.spi.RecoveryReport.DeadWorker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** What dead workers leave behind is found, freed once, and run by others. */
abstract class RecoveryContract extends ContractTopic {
  private static final Task<Integer> LIMITED = task("limited", 4);
  private static final Task<Integer> FREE = task("free");

  /** What is added to a promised time. */
  private static final Duration BUSY_MACHINE = Duration.ofMillis(1_500);

  RecoveryContract(Supplier<StoreFixture> opener) {
    super(opener);
  }

  private RecoveryReport awaitRecovery() {
    return await().until(store::recover, report -> !report.deadWorkers().isEmpty());
  }

  private static Set<String> deadWorkers(List<RecoveryReport> reports) {
    return reports.stream()
        .flatMap(report -> report.deadWorkers().stream())
        .map(DeadWorker::id)
        .collect(Collectors.toSet());
  }

  @Test
  void nobodyDead_findsNothing() {
    submit(LIMITED, 2);
    ManualWorker worker = manualWorker(LIMITED);
    List<ClaimedJob> running = worker.claimAll("limited", 2);

    assertThat(store.recover().isEmpty()).isTrue();
    assertThat(worker.succeedAll(running)).hasSize(2);
  }

  @Test
  void deadWorker_jobsAndSlotsAreFreeAgainAndTheReportSaysSo() {
    submit(LIMITED, 6);
    List<UUID> free = submit(FREE, 3);
    ManualWorker dead = manualWorker(shortLease(), LIMITED, FREE);
    ManualWorker live = manualWorker(LIMITED, FREE);
    ClaimedJob spared = live.claim("limited", 1).get(0);
    assertThat(dead.claimAll("limited", 6)).hasSize(3);
    assertThat(dead.claimAll("free", 2)).hasSize(2);

    RecoveryReport report = awaitRecovery();
    assertThat(report.deadWorkers())
        .containsExactly(new DeadWorker(dead.id(), "manual", Map.of("limited", 3, "free", 2)));
    assertThat(report.requeuedJobs()).isEqualTo(5);
    assertThat(report.freedSlots()).isEqualTo(Map.of("limited", 3));
    assertThat(active("limited")).isEqualTo(1);
    assertThat(state(spared.id())).isEqualTo(JobState.RUNNING);
    assertCountersAgree();

    List<ClaimedJob> again = new ArrayList<>(live.claimAll("limited", 9));
    assertThat(again).hasSize(3);
    again.addAll(live.claimAll("free", 9));
    assertThat(again).hasSize(6);
    assertThat(live.succeed(spared)).isTrue();
    assertThat(live.succeedAll(again)).isEqualTo(ids(again));
    assertThat(free).allSatisfy(id -> assertThat(state(id)).isEqualTo(JobState.SUCCEEDED));
  }

  /**
   * The bound that the guide states for each store. The lease runs out when a live worker that only
   * looks at its start and every five seconds is not looking.
   */
  @Test
  void deadWorker_slotsAreFreeWithinTheBound() {
    Duration lease = Duration.ofMillis(6_250);
    submit(LIMITED, 4);
    ManualWorker dead = manualWorker(lease, LIMITED);
    assertThat(dead.claimAll("limited", 4)).hasSize(4);
    closing(sluice.worker().handle(FREE, (payload, context) -> {}).start());
    long seen = System.nanoTime();

    await().until(() -> active("limited") == 0);

    assertThat(Duration.ofNanos(System.nanoTime() - seen))
        .isLessThan(fixture.freeWithin(lease).plus(BUSY_MACHINE));
  }

  @Test
  void attempt_countsOnlyIfItHadStarted() {
    submit(LIMITED, 3);
    ManualWorker dead = manualWorker(shortLease(), task("limited", 1));
    List<ClaimedJob> buffered = dead.claim(9, new TaskDemand("limited", 9, 5));
    assertThat(buffered).hasSize(3);
    dead.started(buffered.get(0));

    awaitRecovery();
    ManualWorker heir = manualWorker(LIMITED);
    List<ClaimedJob> again = heir.claimAll("limited", 9);
    assertThat(again).hasSize(3);
    for (ClaimedJob job : again) {
      assertThat(job.run().attempt()).isEqualTo(job.id().equals(buffered.get(0).id()) ? 2 : 1);
    }
  }

  @Test
  void manyRecoveriesAtOnce_freeEverythingOnce() throws Exception {
    submit(LIMITED, 20);
    submit(FREE, 10);
    for (int i = 0; i < 2; i++) {
      ManualWorker dead = manualWorker(shortLease(), LIMITED, FREE);
      assertThat(dead.claimAll("limited", 2)).hasSize(2);
      assertThat(dead.claimAll("free", 5)).hasSize(5);
    }
    List<RecoveryReport> reports = new ArrayList<>();
    await()
        .until(
            () -> {
              reports.addAll(onThreads(8, store::recover));
              return deadWorkers(reports).size() >= 2;
            });
    reports.addAll(onThreads(8, store::recover));

    assertThat(deadWorkers(reports)).hasSize(2);
    assertThat(reports.stream().mapToInt(RecoveryReport::requeuedJobs).sum()).isEqualTo(14);
    assertThat(
            reports.stream()
                .mapToInt(report -> report.freedSlots().getOrDefault("limited", 0))
                .sum())
        .isEqualTo(4);
    assertThat(active("limited")).isZero();
    assertCountersAgree();
    assertThat(manualWorker(LIMITED).claimAll("limited", 20)).hasSize(4);
  }

  @Test
  void recoveryBesideClaimsAndCompletions_losesNothing() throws Exception {
    submit(LIMITED, 300);
    onThreads(
        4,
        () -> {
          ManualWorker worker =
              new ManualWorker(store.openSession(registration(shortLease(), LIMITED)));
          try {
            for (int i = 0; i < 40; i++) {
              List<ClaimedJob> jobs = worker.claim("limited", 2);
              store.recover();
              worker.session().renew(shortLease());
              if (i < 38) {
                worker.succeedAll(jobs);
              }
            }
          } catch (LeaseLostException e) {
            // On a slow machine a worker may be overtaken; what it held must be run by others too.
          }
          // Never closed: whatever it holds is left to the recovery.
          return null;
        });

    ManualWorker heir = manualWorker(LIMITED);
    await()
        .until(
            () -> {
              store.recover();
              heir.succeedAll(heir.claimAll("limited", 50));
              return sluice.jobs().counts().get(JobState.SUCCEEDED) == 300;
            });
    await()
        .untilAsserted(
            () -> {
              store.recover();
              assertThat(active("limited")).isZero();
            });
  }

  @Test
  void keyedAndSeveralGroups_allAreFreed() {
    Task<Integer> task =
        Task.named("t", Integer.class).maxConcurrent(9).maxConcurrentPerKey(1).build();
    for (String key : List.of("a", "b", "c")) {
      submit(task, o -> o.concurrencyKey(key));
    }
    assertThat(manualWorker(shortLease(), task).claimAll("t", 9)).hasSize(3);

    RecoveryReport report = awaitRecovery();
    assertThat(report.freedSlots()).isEqualTo(Map.of("t", 3, "t/a", 1, "t/b", 1, "t/c", 1));
    assertThat(manualWorker(task).claimAll("t", 9)).hasSize(3);
  }

  @Test
  void expiredPermit_isFreedToo() {
    Group group = Group.of("permits");
    sluice
        .concurrency()
        .tryAcquire(group, OptionalInt.of(1), "holder", "worker", shortLease())
        .orElseThrow();

    RecoveryReport report = await().until(store::recover, found -> !found.freedSlots().isEmpty());
    assertThat(report.freedSlots()).isEqualTo(Map.of("permits", 1));
    assertThat(active(group)).isZero();
  }

  @Test
  void startingWorker_takesOverWhatADeadOneLeft() {
    submit(LIMITED, 4);
    ManualWorker dead = manualWorker(shortLease(), LIMITED);
    assertThat(dead.claimAll("limited", 4)).hasSize(4);
    closing(
        worker()
            .lease(shortLease().multipliedBy(2))
            .handle(LIMITED, (payload, context) -> {})
            .start());

    awaitCount(JobState.SUCCEEDED, 4);
    await().untilAsserted(() -> assertThat(active("limited")).isZero());
  }

  @Test
  void cancelRequestedJobOfADeadWorker_isNotRunAgain() {
    UUID id = submit(LIMITED);
    ManualWorker dead = manualWorker(shortLease(), LIMITED);
    assertThat(dead.claim("limited", 1)).hasSize(1);
    assertThat(sluice.jobs().cancel(id)).isTrue();

    awaitRecovery();
    assertThat(manualWorker(LIMITED).claim("limited", 1)).isEmpty();
    assertThat(state(id)).isEqualTo(JobState.CANCELLED);
  }
}
