package dev.sluice.tck;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.ConcurrencyStatus;
import dev.sluice.Group;
import dev.sluice.JobState;
import dev.sluice.LimitLevel;
import dev.sluice.SlotInfo;
import dev.sluice.SlotLease;
import dev.sluice.Task;
import dev.sluice.WorkerBuilder;
import dev.sluice.spi.ClaimedJob;
import dev.sluice.spi.Exchange;
import dev.sluice.spi.Exchange.Demand;
import dev.sluice.spi.Exchange.TaskDemand;
import dev.sluice.spi.HeldSlot;
import dev.sluice.spi.JobOutcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** At most N at once: never more, never fewer when there is work, and nobody else pays for it. */
abstract class LimitContract extends ContractTopic {
  LimitContract(Supplier<StoreFixture> opener) {
    super(opener);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 4, 49, 50, 51, 99, 100, 255, 500, 1000})
  void limitN_hasExactlyNSlots(int n) {
    Task<Integer> task = task("limited", n);
    submit(task, n + 5);
    ManualWorker one = manualWorker(task);
    ManualWorker other = manualWorker(task);

    List<ClaimedJob> running = new ArrayList<>(one.claimAll("limited", (n + 1) / 2));
    running.addAll(other.claimAll("limited", n + 5));
    assertThat(running).hasSize(n);
    assertThat(one.claim("limited", 5)).isEmpty();
    Set<Integer> numbers = new HashSet<>();
    one.slots("limited").forEach(slot -> numbers.add(slot.slot()));
    other.slots("limited").forEach(slot -> numbers.add(slot.slot()));
    assertThat(numbers).as("distinct slot numbers").hasSize(n).allMatch(s -> s >= 0 && s < n);
    ConcurrencyStatus status = sluice.concurrency().status("limited");
    assertThat(status.limit()).hasValue(n);
    assertThat(status.active()).isEqualTo(n);
    assertThat(status.waiting()).isEqualTo(5);
    assertThat(status.slots())
        .extracting(SlotInfo::slotId)
        .containsExactlyElementsOf(numbers.stream().sorted().toList());
    assertCountersAgree();

    // Handing everything back gives exactly N places again, not one more or fewer.
    one.close();
    other.close();
    assertThat(active("limited")).isZero();
    assertThat(manualWorker(task).claimAll("limited", n + 5)).hasSize(n);
  }

  @Test
  void manySessions_neverMoreThanTheLimitAtOnce() throws Exception {
    Task<Integer> task = task("limited", 3);
    submit(task, 200);
    OverlapMeter meter = new OverlapMeter();
    AtomicInteger done = new AtomicInteger();

    onThreads(
        6,
        () -> {
          try (ManualWorker worker =
              new ManualWorker(store.openSession(registration(LONG_LEASE, task)))) {
            while (done.get() < 200) {
              List<OverlapMeter.Run> runs = new ArrayList<>();
              List<ClaimedJob> jobs = worker.claim("limited", 2);
              jobs.forEach(job -> runs.add(meter.begin("limited")));
              runs.forEach(OverlapMeter.Run::close);
              done.addAndGet(worker.succeedAll(jobs).size());
            }
          }
          return null;
        });

    assertThat(meter.count("limited")).isEqualTo(200);
    assertThat(meter.peak("limited")).isBetween(1, 3);
    assertThat(active("limited")).isZero();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 4, 7})
  void manyWorkers_neverMoreThanTheLimitAtOnce(int limit) {
    Task<Integer> task = task("limited", limit);
    OverlapMeter meter = new OverlapMeter();
    submit(task, 300);
    for (int i = 0; i < 3; i++) {
      closing(
          worker(anotherProcess())
              .handle(
                  task,
                  (payload, context) -> {
                    try (OverlapMeter.Run run = meter.begin("limited")) {
                      TimeUnit.MICROSECONDS.sleep(200);
                    }
                  })
              .start());
    }

    awaitCount(JobState.SUCCEEDED, 300);
    assertThat(meter.count("limited")).isEqualTo(300);
    assertThat(meter.peak("limited")).isBetween(1, limit);
    await().untilAsserted(() -> assertThat(active("limited")).isZero());
  }

  @Test
  void manyWorkers_useEverySlotAndNotOneMore() throws Exception {
    Task<Integer> task = task("limited", 10);
    Task<Integer> marker = task("marker");
    Semaphore finish = new Semaphore(0);
    AtomicInteger running = new AtomicInteger();
    CountDownLatch marked = new CountDownLatch(20);
    for (int i = 0; i < 3; i++) {
      closing(
          worker(anotherProcess())
              .handle(
                  task,
                  (payload, context) -> {
                    running.incrementAndGet();
                    finish.acquire();
                    running.decrementAndGet();
                  })
              .handle(marker, (payload, context) -> marked.countDown())
              .start());
    }
    submit(task, 25);

    await().until(() -> running.get() == 10);
    // The others had every chance to start an eleventh while these went through.
    submit(marker, 20);
    assertThat(marked.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
    assertThat(running).hasValue(10);
    ConcurrencyStatus status = sluice.concurrency().status("limited");
    assertThat(status.active()).isEqualTo(10);

    finish.release(5);
    await().until(() -> finish.availablePermits() == 0 && running.get() == 10);
    finish.release(100);
    awaitCount(JobState.SUCCEEDED, 45);
  }

  @Test
  void limitOne_chainOverTwoProcesses_neverWaitsForAPoll() {
    Task<Integer> task = task("serial", 1);
    OverlapMeter meter = new OverlapMeter();
    for (int i = 0; i < 2; i++) {
      closing(
          worker(anotherProcess())
              .poll(pollUnlessPushed())
              .handle(
                  task,
                  (payload, context) -> {
                    try (OverlapMeter.Run run = meter.begin("serial")) {
                      TimeUnit.MILLISECONDS.sleep(2);
                    }
                  })
              .start());
    }
    submit(task, 60);

    awaitCount(JobState.SUCCEEDED, 60);
    assertThat(meter.peak("serial")).isEqualTo(1);
  }

  /** Four must meet, or none of them gets on: where one runs at a time, this never ends. */
  @Test
  void limitFour_fourRunAtOnce() {
    Task<Integer> task = task("limited", 4);
    CyclicBarrier four = new CyclicBarrier(4);
    OverlapMeter meter = new OverlapMeter();
    for (int i = 0; i < 2; i++) {
      closing(
          worker(anotherProcess())
              .handle(
                  task,
                  (payload, context) -> {
                    try (OverlapMeter.Run run = meter.begin("limited")) {
                      four.await(PATIENCE.toSeconds(), TimeUnit.SECONDS);
                    }
                  })
              .start());
    }
    submit(task, 20);

    awaitCount(JobState.SUCCEEDED, 20);
    assertThat(meter.count("limited")).isEqualTo(20);
    assertThat(meter.peak("limited")).isEqualTo(4);
  }

  @Test
  void mixedQueue_ninetyNineTasksAndALimitedOne_noneWaitsForAnother() {
    Task<Integer> limited = task("limited", 1);
    List<Task<Integer>> others = IntStream.range(0, 99).mapToObj(i -> task("free-" + i)).toList();
    OverlapMeter meter = new OverlapMeter();
    CountDownLatch goOn = new CountDownLatch(1);
    submit(limited, 10);
    others.forEach(task -> submit(task, 5));
    for (int i = 0; i < 2; i++) {
      WorkerBuilder worker =
          worker(anotherProcess())
              .handle(
                  limited,
                  (payload, context) -> {
                    try (OverlapMeter.Run run = meter.begin("limited")) {
                      goOn.await();
                    }
                  });
      others.forEach(task -> worker.handle(task, (payload, context) -> {}));
      closing(worker.start());
    }

    awaitCount(JobState.SUCCEEDED, 99 * 5);
    await().untilAsserted(() -> assertThat(active("limited")).isEqualTo(1));
    assertThat(meter.count("limited")).as("limited jobs that have ended").isZero();
    goOn.countDown();
    awaitCount(JobState.SUCCEEDED, 99 * 5 + 10);
    assertThat(meter.count("limited")).isEqualTo(10);
    assertThat(meter.peak("limited")).isEqualTo(1);
  }

  @Test
  void limitZero_holdsAndLosesNothing() throws Exception {
    Task<Integer> held = task("held", 0);
    List<UUID> ids = submit(held, 20);
    UUID marker = submit(task("marker"));
    ManualWorker worker = manualWorker(held, task("marker"));

    assertThat(
            ids(worker.claim(50, new TaskDemand("held", 50, 0), new TaskDemand("marker", 50, 0))))
        .containsExactly(marker);
    assertThat(ids).allSatisfy(id -> assertThat(state(id)).isEqualTo(JobState.WAITING));
    assertThat(ids).allSatisfy(id -> assertThat(job(id).progress().attempt()).isZero());
    assertThat(sluice.concurrency().status("held").waiting()).isEqualTo(20);

    setLimit(Group.of("held"), 50, worker);
    assertThat(ids(worker.claimAll("held", 50))).containsExactlyInAnyOrderElementsOf(ids);
  }

  @Test
  void fullGroup_backlogInFront_costsOthersNothing() {
    Task<Integer> full = task("full", 1);
    Task<Integer> free = task("free");
    Task<Integer> roomy = task("roomy", 5);
    // First: a store may still be sorting jobs that were submitted before their limit was known.
    ManualWorker worker = manualWorker(full, free, roomy);
    submit(full, 3_000, o -> o.priority(100));
    UUID behind = submit(free, o -> o.priority(-100));
    UUID alsoBehind = submit(roomy, o -> o.priority(-100));
    assertThat(worker.claim("full", 10)).hasSize(1);

    assertThat(
            ids(
                worker.claim(
                    10,
                    new TaskDemand("full", 10, 0),
                    new TaskDemand("free", 10, 0),
                    new TaskDemand("roomy", 10, 0))))
        .as("one claim finds both")
        .containsExactlyInAnyOrder(behind, alsoBehind);
  }

  @Test
  void fullKey_backlogInFront_costsOtherKeysOfTheTaskNothing() {
    Task<Integer> keyed = Task.named("keyed", Integer.class).maxConcurrentPerKey(1).build();
    submit(keyed, 2_000, o -> o.priority(100).concurrencyKey("busy"));
    UUID behind = submit(keyed, o -> o.priority(-100).concurrencyKey("quiet"));
    UUID without = submit(keyed, o -> o.priority(-200));
    ManualWorker worker = manualWorker(keyed);
    assertThat(worker.claim("keyed", 1)).hasSize(1);

    assertThat(ids(worker.claim("keyed", 10))).containsExactlyInAnyOrder(behind, without);
  }

  @Test
  void freedSlot_goesToTheNextClaimer() {
    Task<Integer> task = task("limited", 1);
    List<UUID> ids = submit(task, 10);
    ManualWorker one = manualWorker(task);
    ManualWorker other = manualWorker(task);

    for (int i = 0; i < 10; i += 2) {
      ClaimedJob job = one.claim("limited", 3).get(0);
      assertThat(job.id()).isEqualTo(ids.get(i));
      assertThat(other.claim("limited", 3)).isEmpty();
      one.succeed(job);
      ClaimedJob next = other.claim("limited", 3).get(0);
      assertThat(next.id()).isEqualTo(ids.get(i + 1));
      assertThat(one.claim("limited", 3)).isEmpty();
      other.succeed(next);
    }
  }

  @Test
  void status_saysWhichJobRunsInWhichSlot() {
    Task<Integer> task = task("limited", 3);
    submit(task, 5);
    ManualWorker one = manualWorker(task);
    ManualWorker other = manualWorker(task);
    List<ClaimedJob> running = new ArrayList<>(one.claim("limited", 2));
    running.addAll(other.claim("limited", 2));

    ConcurrencyStatus status = sluice.concurrency().status("limited");
    assertThat(status.group()).isEqualTo(Group.of("limited"));
    assertThat(status.active()).isEqualTo(3);
    assertThat(status.waiting()).isEqualTo(2);
    assertThat(status.origin().level()).contains(LimitLevel.CODE);
    assertThat(status.slots().stream().map(SlotInfo::taskId).collect(Collectors.toSet()))
        .isEqualTo(
            running.stream()
                .map(job -> Optional.of(job.id().toString()))
                .collect(Collectors.toSet()));
    assertThat(status.slots())
        .extracting(slot -> slot.workerId().orElseThrow())
        .containsExactlyInAnyOrder(one.id(), one.id(), other.id());
    assertThat(status.slots()).allMatch(slot -> slot.expiresAt().isAfter(slot.since()));
    Map<Integer, Long> tokens =
        status.slots().stream().collect(Collectors.toMap(SlotInfo::slotId, SlotInfo::token));
    for (HeldSlot slot : one.slots("limited")) {
      assertThat(tokens).containsEntry(slot.slot(), slot.token());
    }
  }

  /** It was the moment at which the worker took the slot, whatever had run in it since. */
  @Test
  void status_slotWithItsSecondJob_isHeldSinceThatJobStarted() {
    Task<Integer> task = task("limited", 1);
    submit(task, 2);
    ManualWorker worker = manualWorker(task);
    ClaimedJob first = worker.claim("limited", 1).get(0);

    Demand more = new Demand(1, List.of(new TaskDemand("limited", 1, 0)), Map.of("limited", 1));
    Exchange again = new Exchange(List.of(), Set.of(), Map.of(), List.of(), more);
    List<ClaimedJob> next = new ArrayList<>(worker.goOn(first));
    await().until(() -> !next.isEmpty() || next.addAll(worker.exchangeRaw(again).jobs()));
    ClaimedJob second = next.get(0);
    SlotInfo slot = sluice.concurrency().status("limited").slots().get(0);
    assertThat(slot.taskId()).contains(second.id().toString());
    assertThat(slot.since()).isEqualTo(job(second.id()).progress().startedAt().orElseThrow());
  }

  @Test
  void status_groupWithoutLimit_isUnlimited() {
    ConcurrencyStatus status = sluice.concurrency().status("nobody");

    assertThat(status.limit()).isEmpty();
    assertThat(status.active()).isZero();
    assertThat(status.waiting()).isZero();
    assertThat(status.origin().level()).isEmpty();
    assertThat(status.slots()).isEmpty();
    assertThat(sluice.concurrency().groups()).isEmpty();
  }

  @Test
  void groups_listsThoseWithALimitAndThoseHeld() {
    sluice.concurrency().setLimit("b", 2);
    sluice.concurrency().setLimit(Group.of("a").anyKey(), 1);
    Task<Integer> task = task("c", 4);
    submit(task);
    manualWorker(task).claim("c", 1);

    assertThat(sluice.concurrency().groups())
        .containsExactly(Group.of("a").anyKey(), Group.of("b"), Group.of("c"));
  }

  @Test
  void waitingJob_saysSo() {
    Task<Integer> task = task("limited", 1);
    List<UUID> ids = submit(task, 3);
    ManualWorker worker = manualWorker(task);
    ClaimedJob running = worker.claim("limited", 1).get(0);

    assertThat(state(ids.get(0))).isEqualTo(JobState.RUNNING);
    assertThat(state(ids.get(1))).isEqualTo(JobState.WAITING);
    assertThat(sluice.jobs().counts())
        .containsEntry(JobState.RUNNING, 1L)
        .containsEntry(JobState.WAITING, 2L)
        .containsEntry(JobState.READY, 0L);
    worker.succeed(running);
    assertThat(state(ids.get(1))).isEqualTo(JobState.READY);
  }

  /** A claim looked past a few full tasks only, and never came to the jobs behind more of them. */
  @Test
  void manyFullTasks_areNotInTheWayOfOthers() {
    List<Task<Integer>> tasks = new ArrayList<>();
    IntStream.range(0, 30).forEach(i -> tasks.add(task("full-" + i, 1)));
    tasks.forEach(this::submit);
    Task<Integer> other = task("other");
    tasks.add(other);
    ManualWorker worker = manualWorker(tasks.toArray(Task<?>[]::new));
    TaskDemand[] demands =
        tasks.stream().map(task -> new TaskDemand(task.name(), 10, 0)).toArray(TaskDemand[]::new);
    List<ClaimedJob> running = new ArrayList<>();
    await()
        .until(
            () -> {
              running.addAll(worker.claim(10, demands));
              return running.size() == 30;
            });
    for (int round = 0; round < 2; round++) {
      tasks.stream().filter(task -> task != other).forEach(this::submit);
    }
    submit(other, 5);

    List<ClaimedJob> behind = new ArrayList<>();
    await()
        .until(
            () -> {
              behind.addAll(worker.claim(10, demands));
              return behind.size() >= 5;
            });
    assertThat(behind).hasSize(5).allMatch(job -> job.task().equals("other"));
  }

  @Test
  void permitsAndJobs_shareTheSlots() {
    Task<Integer> task = task("shared", 3);
    submit(task, 10);
    ManualWorker worker = manualWorker(task);
    SlotLease permit = permit("shared").orElseThrow();

    List<ClaimedJob> running = new ArrayList<>(worker.claim("shared", 10));
    assertThat(running).hasSize(2);
    assertThat(permit("shared")).isEmpty();
    assertThat(sluice.concurrency().status("shared").slots())
        .extracting(slot -> slot.taskId().orElseThrow())
        .containsExactlyInAnyOrder(
            "holder", running.get(0).id().toString(), running.get(1).id().toString());
    Set<Integer> numbers = new HashSet<>(Set.of(permit.slot()));
    worker.slots("shared").forEach(slot -> numbers.add(slot.slot()));
    assertThat(numbers).containsExactlyInAnyOrder(0, 1, 2);

    assertThat(sluice.concurrency().release(permit)).isTrue();
    running.addAll(worker.claim("shared", 10));
    assertThat(running).hasSize(3);
    worker.succeed(running.get(0));
    assertThat(permit("shared")).isPresent();
  }

  private Optional<SlotLease> permit(String group) {
    return sluice
        .concurrency()
        .tryAcquire(Group.of(group), OptionalInt.empty(), "holder", "here", Duration.ofMinutes(1));
  }

  @Test
  void everyEnd_givesTheSlotBack() {
    Task<Integer> task = task("limited", 1);
    submit(task, 6);
    ManualWorker worker = manualWorker(task);
    JobOutcome.Failure failure = new JobOutcome.Failure("Boom", "boom", "");
    for (JobOutcome.Verdict verdict :
        List.of(
            new JobOutcome.Succeeded(Optional.of("1")),
            new JobOutcome.Failed(failure),
            new JobOutcome.Retry(failure, Duration.ofHours(1)),
            new JobOutcome.Cancelled(),
            new JobOutcome.Snoozed(Duration.ofHours(1)),
            new JobOutcome.HandedBack())) {
      List<ClaimedJob> next = worker.claim("limited", 1);
      assertThat(next).as("room before %s", verdict).hasSize(1);
      assertThat(worker.report(next.get(0), verdict)).isTrue();
      assertThat(active("limited")).as("after %s", verdict).isZero();
    }
  }
}
