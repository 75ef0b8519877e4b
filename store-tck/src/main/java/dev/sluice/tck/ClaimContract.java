package dev.sluice.tck;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.JobState;
import dev.sluice.Task;
import dev.sluice.spi.ClaimedJob;
import dev.sluice.spi.Exchange;
import dev.sluice.spi.Exchange.Demand;
import dev.sluice.spi.Exchange.TaskDemand;
import dev.sluice.spi.JobOutcome;
import dev.sluice.spi.WorkerRegistration;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Claiming: who gets which job, in which order, and nobody the same one. */
abstract class ClaimContract extends ContractTopic {
  private static final Task<Integer> A = task("a");
  private static final Task<Integer> B = task("b");

  ClaimContract(Supplier<StoreFixture> opener) {
    super(opener);
  }

  @Test
  void claim_taskWithoutHandler_isLeftAlone() {
    submit(A);
    UUID handled = submit(B);

    ManualWorker worker = manualWorker(B);
    assertThat(ids(worker.claim(10, new TaskDemand("b", 10, 0)))).containsExactly(handled);
    assertThat(sluice.jobs().counts()).containsEntry(JobState.READY, 1L);
  }

  @Test
  void claim_queueNotServed_isLeftAlone() {
    UUID here = submit(A, o -> o.queue("here"));
    UUID there = submit(A, o -> o.queue("there"));
    UUID byDefault = submit(A);

    assertThat(ids(worker("here").claim("a", 10))).containsExactly(here);
    assertThat(ids(worker("there", "default").claim("a", 10)))
        .containsExactlyInAnyOrder(there, byDefault);
  }

  private ManualWorker worker(String... queues) {
    return manualWorker(
        new WorkerRegistration("manual", Set.of(queues), Set.of("a"), Map.of(), LONG_LEASE));
  }

  @Test
  void claim_whatItBrings_saysHowToRunIt() {
    UUID id = sluice.submit(A, 42, o -> o.timeout(Duration.ofSeconds(7))).id();

    ClaimedJob job = manualWorker(A).claim("a", 1).get(0);
    assertThat(job.id()).isEqualTo(id);
    assertThat(job.task()).isEqualTo("a");
    assertThat(job.payload()).isEqualTo("42");
    assertThat(job.bond().limited()).isEmpty();
    assertThat(job.run().attempt()).isEqualTo(1);
    assertThat(job.run().timeout()).contains(Duration.ofSeconds(7));
    assertThat(state(id)).isEqualTo(JobState.RUNNING);
  }

  @Test
  void claim_severalPriorities_higherFirst() {
    Random random = seeded();
    Map<UUID, Integer> priorities = new java.util.HashMap<>();
    for (int i = 0; i < 40; i++) {
      int priority = random.nextInt(-5, 6);
      priorities.put(submit(A, o -> o.priority(priority)), priority);
    }

    List<ClaimedJob> claimed = manualWorker(A).claimAll("a", 40);
    assertThat(claimed).hasSize(40);
    assertThat(claimed)
        .isSortedAccordingTo(
            Comparator.comparing((ClaimedJob job) -> priorities.get(job.id())).reversed());
  }

  @Test
  void claim_samePriority_earlierRunAtFirstThenId() {
    Instant soon = Instant.now().plusMillis(300);
    UUID third = submit(A, o -> o.runAt(soon.plusMillis(60)));
    UUID second = submit(A, o -> o.runAt(soon.plusMillis(30)));
    UUID fourth = submit(A, o -> o.runAt(soon.plusMillis(60)));
    UUID first = submit(A, o -> o.runAt(soon));
    awaitCount(JobState.SCHEDULED, 0);

    // A store that tells whole seconds may tell one process later than another that it is time.
    ManualWorker worker = manualWorker(A);
    List<UUID> claimed = new ArrayList<>();
    await()
        .until(
            () -> {
              worker.claim("a", 10).forEach(job -> claimed.add(job.id()));
              return claimed.size() >= 4;
            });
    assertThat(claimed).containsExactly(first, second, third, fourth);
  }

  @Test
  void claim_acrossTasks_bestFirstWhetherLimitedOrNot() {
    Task<Integer> limited = task("limited", 10);
    // First: a store may still be sorting jobs that were submitted before their limit was known.
    ManualWorker worker = manualWorker(A, B, limited);
    List<UUID> best = new ArrayList<>();
    for (int priority = 12; priority > 0; priority--) {
      int p = priority;
      best.add(submit(p % 3 == 0 ? A : p % 3 == 1 ? B : limited, o -> o.priority(p)));
    }
    TaskDemand[] demands = {
      new TaskDemand("a", 10, 0), new TaskDemand("b", 10, 0), new TaskDemand("limited", 10, 0)
    };
    assertThat(worker.claim(5, demands))
        .extracting(ClaimedJob::id)
        .containsExactlyInAnyOrderElementsOf(best.subList(0, 5));
    assertThat(worker.claim(5, demands))
        .extracting(ClaimedJob::id)
        .containsExactlyInAnyOrderElementsOf(best.subList(5, 10));
  }

  @Test
  void claim_acrossGroups_bestFirst() {
    Task<Integer> keyed = Task.named("keyed", Integer.class).maxConcurrentPerKey(3).build();
    List<UUID> best = new ArrayList<>();
    for (int priority = 20; priority > 0; priority--) {
      int p = priority;
      best.add(submit(keyed, o -> o.priority(p).concurrencyKey("key" + p % 7)));
    }

    assertThat(ids(manualWorker(keyed).claim("keyed", 6)))
        .containsExactlyInAnyOrderElementsOf(best.subList(0, 6));
  }

  @Test
  void claim_moreThanAsked_neverHappens() {
    submit(A, 20);
    submit(B, 20);
    ManualWorker worker = manualWorker(A, B);

    List<ClaimedJob> some = worker.claim(10, new TaskDemand("a", 2, 0), new TaskDemand("b", 3, 0));
    assertThat(some).filteredOn(job -> job.task().equals("a")).hasSize(2);
    assertThat(some).filteredOn(job -> job.task().equals("b")).hasSize(3);
    assertThat(worker.claim(7, new TaskDemand("a", 100, 0), new TaskDemand("b", 100, 0)))
        .hasSize(7);
    assertThat(worker.claim(0)).isEmpty();
  }

  @Test
  void claim_manySessions_noJobTwice() throws Exception {
    List<UUID> submitted = submit(A, 2_000);
    Random random = seeded();
    ConcurrentLinkedQueue<UUID> claimed = new ConcurrentLinkedQueue<>();

    onThreads(
        8,
        () -> {
          int batch = random.nextInt(3, 60);
          try (ManualWorker worker =
              new ManualWorker(store.openSession(registration(LONG_LEASE, A)))) {
            for (List<ClaimedJob> jobs = worker.claim("a", batch);
                !jobs.isEmpty();
                jobs = worker.claim("a", batch)) {
              jobs.forEach(job -> claimed.add(job.id()));
              assertThat(worker.succeedAll(jobs)).isEqualTo(ids(jobs));
            }
          }
          return null;
        });

    assertThat(claimed).doesNotHaveDuplicates();
    // A session may find nothing while another holds the last rows for a moment.
    ManualWorker rest = manualWorker(A);
    List<ClaimedJob> left = rest.claimAll("a", 2_000);
    rest.succeedAll(left);
    left.forEach(job -> claimed.add(job.id()));
    assertThat(claimed).containsExactlyInAnyOrderElementsOf(submitted);
    assertThat(sluice.jobs().counts()).containsEntry(JobState.SUCCEEDED, 2_000L);
  }

  @Test
  void claim_onlyLaterJobs_saysWhenTheNextIsDue() {
    submit(A, o -> o.delay(Duration.ofHours(2)));
    submit(A, o -> o.delay(Duration.ofHours(1)));

    ManualWorker worker = manualWorker(A);
    assertThat(worker.claim("a", 5)).isEmpty();
    Exchange.Answer answer =
        worker.exchangeRaw(
            new Exchange(
                List.of(),
                Set.of(),
                Map.of(),
                List.of(),
                new Demand(5, List.of(new TaskDemand("a", 5, 0)), Map.of())));
    assertThat(answer.nextDue().orElseThrow())
        .isBetween(Duration.ofMinutes(55), Duration.ofMinutes(61));
  }

  @Test
  void claim_buffered_isNotRunningUntilStarted() {
    Task<Integer> limited = task("limited", 1);
    submit(limited, 5);
    ManualWorker worker = manualWorker(limited);

    List<ClaimedJob> claimed = worker.claim(10, new TaskDemand("limited", 10, 2));
    assertThat(claimed).as("one slot, good for itself and two behind it").hasSize(3);
    assertThat(worker.slots("limited")).hasSize(1);
    assertThat(claimed).noneMatch(job -> job.run().counted());
    assertThat(sluice.jobs().counts()).containsEntry(JobState.RUNNING, 0L);

    worker.started(claimed.get(0));
    UUID first = claimed.get(0).id();
    assertThat(state(first)).isEqualTo(JobState.RUNNING);
    assertThat(job(first).progress().attempt()).isEqualTo(1);
    Map<JobState, Long> counts = sluice.jobs().counts();
    assertThat(counts).containsEntry(JobState.RUNNING, 1L);
    assertThat(counts.get(JobState.READY) + counts.get(JobState.WAITING)).isEqualTo(4);
    assertThat(job(claimed.get(1).id()).progress().attempt()).isZero();
  }

  @Test
  void claim_startedAtOnce_countsTheAttemptWithTheClaim() {
    UUID id = submit(A);

    ClaimedJob job = manualWorker(A).claim("a", 1).get(0);
    assertThat(job.run().counted()).isTrue();
    assertThat(job(id).progress().attempt()).isEqualTo(1);
    assertThat(job(id).progress().startedAt()).isPresent();
  }

  @Test
  void handBack_jobIsReadyInItsOldPlaceAndTheAttemptDoesNotCount() {
    UUID first = submit(A);
    submit(A, 3);
    ManualWorker worker = manualWorker(A);
    ClaimedJob job = worker.claim("a", 1).get(0);
    assertThat(job.id()).isEqualTo(first);

    assertThat(worker.report(job, new JobOutcome.HandedBack())).isTrue();

    assertThat(state(first)).isEqualTo(JobState.READY);
    assertThat(job(first).progress().attempt()).isZero();
    ClaimedJob again = worker.claim("a", 1).get(0);
    assertThat(again.id()).isEqualTo(first);
    assertThat(again.run().attempt()).isEqualTo(1);
  }

  @Test
  void spareSlots_takeTheNextJobsWithoutNewOnes() {
    Task<Integer> limited = task("limited", 2);
    // The limit first: a store may be busy sorting jobs that were there before it.
    ManualWorker worker = manualWorker(limited);
    submit(limited, 6);
    List<ClaimedJob> running = worker.claim("limited", 2);
    assertThat(running).hasSize(2);

    Exchange.Answer answer =
        worker.exchangeRaw(
            new Exchange(
                running.stream()
                    .map(
                        job ->
                            new JobOutcome(
                                job.id(),
                                job.token(),
                                new JobOutcome.Succeeded(java.util.Optional.empty()),
                                Duration.ofMillis(1)))
                    .toList(),
                Set.of(),
                Map.of(),
                List.of(),
                new Demand(5, List.of(new TaskDemand("limited", 5, 0)), Map.of("limited", 2))));

    assertThat(answer.accepted()).isEqualTo(ids(running));
    assertThat(answer.jobs()).as("the slots are kept and used again").hasSize(2);
    assertThat(answer.slots()).isEmpty();
    assertThat(active("limited")).isEqualTo(2);
    assertThat(new HashSet<>(ids(answer.jobs()))).doesNotContainAnyElementsOf(ids(running));
  }

  /** A random source whose seed is printed, so that a failure can be repeated. */
  static Random seeded() {
    long seed = Long.getLong("sluice.tck.seed", System.nanoTime());
    System.out.println("sluice.tck.seed=" + seed);
    return new Random(seed);
  }
}
