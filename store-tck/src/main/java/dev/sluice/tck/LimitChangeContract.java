package dev.sluice.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.ConcurrencyStatus;
import dev.sluice.Group;
import dev.sluice.InvalidRequestException;
import dev.sluice.JobState;
import dev.sluice.LimitLevel;
import dev.sluice.SubmitOptions;
import dev.sluice.Task;
import dev.sluice.spi.ClaimedJob;
import dev.sluice.spi.Exchange;
import dev.sluice.spi.Exchange.Demand;
import dev.sluice.spi.Exchange.TaskDemand;
import dev.sluice.spi.HeldSlot;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Limits change while jobs run: by operators, by deploys, by submits. */
abstract class LimitChangeContract extends ContractTopic {
  private static final Group GROUP = Group.of("t");
  private static final Task<Integer> UNLIMITED = task("t");

  LimitChangeContract(Supplier<StoreFixture> opener) {
    super(opener);
  }

  /** A limit changes in one way, whatever kind of group it is for. */
  enum Kind {
    TASK(GROUP, o -> o),
    KEY(GROUP.key("k"), o -> o.concurrencyKey("k"));

    private final Group group;
    private final UnaryOperator<SubmitOptions> options;

    Kind(Group group, UnaryOperator<SubmitOptions> options) {
      this.group = group;
      this.options = options;
    }
  }

  private ConcurrencyStatus status() {
    return sluice.concurrency().status(GROUP);
  }

  private void assertLimit(int limit, LimitLevel level) {
    assertThat(status().limit()).hasValue(limit);
    assertThat(status().origin().level()).contains(level);
  }

  @ParameterizedTest
  @EnumSource
  void raise_takesEffectAtOnce(Kind kind) throws Exception {
    submit(UNLIMITED, 10, kind.options);
    sluice.concurrency().setLimit(kind.group, 1);
    ManualWorker worker = manualWorker(UNLIMITED);
    assertThat(worker.claimAll("t", 10)).hasSize(1);

    setLimit(kind.group, 4, worker);
    assertThat(worker.claimAll("t", 10)).hasSize(3);
    assertThat(active(kind.group)).isEqualTo(4);
  }

  @ParameterizedTest
  @EnumSource
  void lower_drainsAndStopsNobody(Kind kind) throws Exception {
    submit(UNLIMITED, 20, kind.options);
    sluice.concurrency().setLimit(kind.group, 5);
    ManualWorker worker = manualWorker(UNLIMITED);
    ManualWorker other = manualWorker(UNLIMITED);
    List<ClaimedJob> running = new ArrayList<>(worker.claimAll("t", 5));
    assertThat(running).hasSize(5);

    setLimit(kind.group, 2, worker, other);
    assertThat(sluice.concurrency().status(kind.group).limit()).hasValue(2);
    assertThat(sluice.concurrency().status(kind.group).active())
        .as("nothing running was stopped")
        .isEqualTo(5);
    for (int left = 4; left >= 2; left--) {
      assertThat(worker.succeed(running.remove(0))).isTrue();
      assertThat(active(kind.group)).isEqualTo(left);
      assertThat(other.claim("t", 10)).as("%d still run", left).isEmpty();
      assertThat(worker.claim("t", 10)).isEmpty();
      assertCountersAgree();
    }
    assertThat(worker.succeed(running.remove(0))).isTrue();
    List<ClaimedJob> next = other.claim("t", 10);
    assertThat(next).hasSize(1);
    worker.succeedAll(running);
    other.succeedAll(next);
    assertThat(active(kind.group)).isZero();
    assertThat(other.claimAll("t", 10)).hasSize(2);
  }

  @ParameterizedTest
  @EnumSource
  void lowerThenRaiseWhileDraining_neverGivesMoreThanTheLimit(Kind kind) throws Exception {
    submit(UNLIMITED, 2_500, kind.options);
    sluice.concurrency().setLimit(kind.group, 120);
    ManualWorker worker = manualWorker(UNLIMITED);
    List<ClaimedJob> running = new ArrayList<>(worker.claimAll("t", 120));
    assertThat(running).hasSize(120);

    Random random = ClaimContract.seeded();
    for (int limit : new int[] {30, 75, 3, 110, 60, 51, 50, 49, 101}) {
      setLimit(kind.group, limit, worker);
      running.addAll(worker.claimAll("t", 200));
      assertThat(running.size())
          .as("after the change to %d", limit)
          .isGreaterThanOrEqualTo(limit)
          .isEqualTo(active(kind.group));
      int finished = random.nextInt(running.size());
      for (int i = 0; i < finished; i++) {
        worker.succeed(running.remove(random.nextInt(running.size())));
      }
      int left = running.size();
      List<ClaimedJob> more = worker.claimAll("t", 200);
      running.addAll(more);
      assertThat(more)
          .as("room at %d with %d running", limit, left)
          .hasSize(Math.max(0, limit - left));
      assertCountersAgree();
    }
    worker.succeedAll(running);
    assertThat(active(kind.group)).isZero();
    assertThat(worker.claimAll("t", 400)).hasSize(101);
    assertThat(worker.slots(kind.group.toString())).allMatch(slot -> slot.slot() < 101);
  }

  @ParameterizedTest
  @EnumSource
  void zero_holdsUntilReleased(Kind kind) throws Exception {
    submit(UNLIMITED, 10, kind.options);
    sluice.concurrency().setLimit(kind.group, 2);
    ManualWorker worker = manualWorker(UNLIMITED);
    List<ClaimedJob> running = worker.claimAll("t", 10);

    setLimit(kind.group, 0, worker);
    assertThat(worker.succeedAll(running)).as("running ones finish").hasSize(2);
    assertThat(worker.claim("t", 10)).isEmpty();
    assertThat(sluice.jobs().counts()).containsEntry(JobState.WAITING, 8L);
    setLimit(kind.group, 3, worker);
    assertThat(worker.claimAll("t", 10)).hasSize(3);
  }

  @ParameterizedTest
  @EnumSource
  void remove_lifts(Kind kind) throws Exception {
    submit(UNLIMITED, 10, kind.options);
    sluice.concurrency().setLimit(kind.group, 1);
    ManualWorker worker = manualWorker(UNLIMITED);
    List<ClaimedJob> running = new ArrayList<>(worker.claimAll("t", 10));
    assertThat(running).hasSize(1);

    whileListening(() -> sluice.concurrency().removeLimit(kind.group), worker);
    assertThat(sluice.concurrency().status(kind.group).limit()).isEmpty();
    running.addAll(worker.claimAll("t", 20));
    assertThat(running).hasSize(10);
    assertThat(worker.succeedAll(running)).hasSize(10);
    assertThat(active(kind.group)).isZero();
  }

  /**
   * A worker that heard of the lift wants to give back a slot that no job of its needs any more;
   * when that arrives, the limit is back.
   */
  @ParameterizedTest
  @EnumSource
  void liftedAndSetAgain_aSlotGivenBackLateUncoversNobody(Kind kind) throws Exception {
    submit(UNLIMITED, 3, kind.options);
    sluice.concurrency().setLimit(kind.group, 1);
    ManualWorker worker = manualWorker(UNLIMITED);
    ManualWorker other = manualWorker(UNLIMITED);
    List<ClaimedJob> running = worker.claimAll("t", 10);
    assertThat(running).hasSize(1);
    whileListening(() -> sluice.concurrency().removeLimit(kind.group), worker, other);
    List<HeldSlot> idle = worker.slots(kind.group.toString());
    assertThat(idle).as("none where a slot is named by its job").hasSizeLessThanOrEqualTo(1);

    CompletableFuture<Void> change =
        CompletableFuture.runAsync(() -> sluice.concurrency().setLimit(kind.group, 1));
    await().until(() -> sluice.concurrency().status(kind.group).limit().isPresent());
    worker.exchangeRaw(new Exchange(List.of(), Set.of(), Map.of(), idle, Demand.NONE));
    await()
        .until(
            () -> {
              worker.reconcile();
              other.reconcile();
              return change.isDone();
            });

    assertThat(other.claim("t", 10)).as("one still runs").isEmpty();
    assertThat(worker.succeedAll(running)).hasSize(1);
    assertThat(other.claimAll("t", 10)).hasSize(1);
    assertCountersAgree();
  }

  @Test
  void firstLimitOnARunningTask_countsTheRunning() throws Exception {
    submit(UNLIMITED, 10);
    ManualWorker worker = manualWorker(UNLIMITED);
    ManualWorker other = manualWorker(UNLIMITED);
    List<ClaimedJob> running = worker.claimAll("t", 4);
    assertThat(running).hasSize(4);

    setLimit(GROUP, 2, worker, other);
    assertThat(other.claim("t", 10)).isEmpty();
    assertThat(active("t")).isEqualTo(4);
    assertThat(worker.succeed(running.get(0))).isTrue();
    assertThat(worker.succeed(running.get(1))).isTrue();
    assertThat(other.claim("t", 10)).as("two still run").isEmpty();
    assertThat(worker.succeed(running.get(2))).isTrue();
    assertThat(other.claim("t", 10)).hasSize(1);
    assertThat(active("t")).isEqualTo(2);
  }

  @Test
  void firstLimitOnAKeyOfARunningTask_countsTheRunning() throws Exception {
    Group key = GROUP.key("k");
    submit(UNLIMITED, 6, o -> o.concurrencyKey("k"));
    ManualWorker worker = manualWorker(UNLIMITED);
    List<ClaimedJob> running = worker.claimAll("t", 3);
    assertThat(running).hasSize(3);

    setLimit(key, 3, worker);
    assertThat(worker.claim("t", 10)).isEmpty();
    assertThat(active(key)).isEqualTo(3);
    worker.succeed(running.get(0));
    assertThat(worker.claim("t", 10)).hasSize(1);
  }

  @Test
  void firstLimitOnAFamily_countsTheRunningOfEachKey() throws Exception {
    submit(UNLIMITED, 4, o -> o.concurrencyKey("a"));
    submit(UNLIMITED, o -> o.concurrencyKey("b"));
    ManualWorker worker = manualWorker(UNLIMITED);
    ManualWorker other = manualWorker(UNLIMITED);
    List<ClaimedJob> running = worker.claimAll("t", 5);
    assertThat(running).as("4 of a, 1 of b").hasSize(5);
    submit(UNLIMITED, 2, o -> o.concurrencyKey("a"));
    submit(UNLIMITED, 2, o -> o.concurrencyKey("b"));

    setLimit(GROUP.anyKey(), 2, worker, other);
    assertThat(active(GROUP.key("a"))).isEqualTo(4);
    assertThat(active(GROUP.key("b"))).isEqualTo(1);
    assertThat(other.claimAll("t", 10)).as("one more of b").hasSize(1);
    assertThat(worker.succeedAll(running.subList(0, 2))).hasSize(2);
    assertThat(other.claim("t", 10)).as("two of each run").isEmpty();
    assertThat(worker.succeed(running.get(2))).isTrue();
    assertThat(other.claimAll("t", 10)).hasSize(1);
    assertThat(active(GROUP.key("a"))).isEqualTo(2);
  }

  @Test
  void strongestLevel_holds() throws Exception {
    submit(UNLIMITED, o -> o.concurrencyLimit(5));
    assertLimit(5, LimitLevel.SUBMIT);
    ManualWorker worker = manualWorker(task("t", 3));
    assertLimit(3, LimitLevel.CODE);
    whileListening(() -> configure(OptionalInt.of(8)), worker);
    assertLimit(8, LimitLevel.CONFIG);
    setLimit(GROUP, 1, worker);
    assertLimit(1, LimitLevel.OPERATOR);

    whileListening(() -> configure(OptionalInt.of(9)), worker);
    ManualWorker lower = manualWorker(task("t", 2));
    submit(UNLIMITED, o -> o.concurrencyLimit(7));
    assertLimit(1, LimitLevel.OPERATOR);

    whileListening(() -> sluice.concurrency().removeLimit(GROUP), worker, lower);
    assertLimit(9, LimitLevel.CONFIG);
    whileListening(() -> configure(OptionalInt.empty()), worker, lower);
    assertLimit(2, LimitLevel.CODE);
  }

  private void configure(OptionalInt limit) {
    store.limits().setLimit(GROUP, LimitLevel.CONFIG, limit, "a file");
  }

  @Test
  void submitSide_setsOnlyWhereNoneExists() {
    submit(UNLIMITED, 4, o -> o.concurrencyLimit(2));
    submit(UNLIMITED, 4, o -> o.concurrencyLimit(6));
    assertLimit(2, LimitLevel.SUBMIT);
    assertThat(manualWorker(UNLIMITED).claimAll("t", 20)).hasSize(2);

    sluice.concurrency().setLimit("operated", 3);
    submit(UNLIMITED, 4, o -> o.concurrencyGroup("operated").concurrencyLimit(6));
    assertThat(sluice.concurrency().status("operated").limit()).hasValue(3);
  }

  @Test
  void twoWorkersDeclareDifferentNumbers_theLowestHoldsWhileBothLive() {
    submit(UNLIMITED, 20);
    ManualWorker old = manualWorker(task("t", 4));
    assertThat(status().origin().declared()).isEqualTo(Map.of(4, 1));
    ManualWorker lower = manualWorker(task("t", 2));
    assertThat(status().limit()).hasValue(2);
    assertThat(status().origin().declared()).isEqualTo(Map.of(4, 1, 2, 1));
    assertThat(old.claimAll("t", 10)).hasSize(2);
    assertThat(lower.claim("t", 10)).isEmpty();

    lower.close();
    assertThat(status().limit()).hasValue(4);
    assertThat(old.claimAll("t", 10)).hasSize(2);
    ManualWorker higher = manualWorker(task("t", 9));
    assertThat(status().limit()).as("the old one still lives").hasValue(4);
    assertThat(higher.claim("t", 10)).isEmpty();
    old.close();
    assertThat(status().limit()).hasValue(9);
    assertThat(higher.claimAll("t", 20)).hasSize(9);
  }

  @Test
  void deadWorkersDeclaration_endsWithItsLease() {
    manualWorker(shortLease(), task("t", 1));
    ManualWorker live = manualWorker(task("t", 6));
    assertThat(status().limit()).hasValue(1);

    await()
        .untilAsserted(
            () -> {
              store.recover();
              assertThat(status().limit()).hasValue(6);
            });
    submit(UNLIMITED, 10);
    assertThat(live.claimAll("t", 10)).hasSize(6);
  }

  @Test
  void registration_freesNothingInUseAndTouchesNoOtherGroup() {
    Task<Integer> limited = task("t", 3);
    Task<Integer> neighbour = task("neighbour", 2);
    submit(limited, 10);
    submit(neighbour, 10);
    sluice.concurrency().setLimit("operated", 7);
    submit(UNLIMITED, o -> o.concurrencyGroup("submitted").concurrencyLimit(8));
    ManualWorker first = manualWorker(limited, neighbour);
    assertThat(first.claim(20, new TaskDemand("t", 20, 0), new TaskDemand("neighbour", 20, 0)))
        .hasSize(5);

    for (Task<Integer> again : List.of(limited, task("t", 5), task("t", 3), UNLIMITED)) {
      ManualWorker late = manualWorker(again);
      assertThat(late.claim("t", 20)).as("registered with %s", again.limits()).isEmpty();
      assertThat(active("t")).isEqualTo(3);
      assertThat(active("neighbour")).isEqualTo(2);
      assertThat(sluice.concurrency().status("operated").limit()).hasValue(7);
      assertThat(sluice.concurrency().status("submitted").limit()).hasValue(8);
      assertCountersAgree();
      late.close();
    }
    assertThat(active("t")).isEqualTo(3);
  }

  @Test
  void negativeLimit_isRefused() {
    assertThatThrownBy(() -> sluice.concurrency().setLimit(GROUP, -1))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("-1");
    assertThat(status().limit()).isEmpty();
  }

  @Test
  void underLoad_noJobStartsBeyondTheLimitInForce() {
    LimitTimeline timeline = new LimitTimeline();
    OverlapLog log = new OverlapLog();
    timeline.change(4, () -> sluice.concurrency().setLimit(GROUP, 4));
    for (int i = 0; i < 3; i++) {
      closing(
          worker(anotherProcess())
              .handle(
                  UNLIMITED,
                  (payload, context) -> {
                    long start = System.nanoTime();
                    TimeUnit.MILLISECONDS.sleep(3);
                    log.add(start, System.nanoTime());
                  })
              .start());
    }
    int seen = 0;
    for (int limit : new int[] {1, 6, 2, 8, 0, 3}) {
      int before = seen;
      // However long a change takes and however many end meanwhile, there are more.
      submit(UNLIMITED, 150);
      await().until(() -> log.size() >= before + (limit == 3 ? 0 : 40));
      timeline.change(limit, () -> sluice.concurrency().setLimit(GROUP, limit));
      seen = log.size();
    }

    awaitCount(JobState.SUCCEEDED, 900);
    assertThat(timeline.violations(log.intervals())).isEmpty();
  }

  @Test
  void raise_wakesWaitingWorkers() {
    Semaphore finish = new Semaphore(0);
    AtomicInteger running = new AtomicInteger();
    sluice.concurrency().setLimit(GROUP, 0);
    submit(UNLIMITED, 12);
    closing(
        worker(anotherProcess())
            .poll(pollUnlessPushed())
            .handle(
                UNLIMITED,
                (payload, context) -> {
                  running.incrementAndGet();
                  finish.acquire();
                  running.decrementAndGet();
                })
            .start());

    for (int limit : new int[] {1, 5, 9}) {
      sluice.concurrency().setLimit(GROUP, limit);
      await().until(() -> running.get() == limit);
    }
    sluice.concurrency().removeLimit(GROUP);
    await().until(() -> running.get() == 12);
    finish.release(100);
    awaitCount(JobState.SUCCEEDED, 12);
  }

  @Test
  void liftedThenLimitedBySubmit_newNumberHolds() throws Exception {
    Group key = GROUP.key("k");
    ManualWorker worker = manualWorker(UNLIMITED);
    setLimit(key, 100, worker);
    submit(UNLIMITED, 3, o -> o.concurrencyKey("k"));
    List<ClaimedJob> before = worker.claimAll("t", 3);
    assertThat(before).hasSize(3);
    whileListening(() -> sluice.concurrency().removeLimit(key), worker);
    worker.succeedAll(before);

    submit(UNLIMITED, 8, o -> o.concurrencyKey("k").concurrencyLimit(1));
    assertThat(sluice.concurrency().status(key).limit()).hasValue(1);
    assertThat(worker.claimAll("t", 8)).hasSize(1);
  }

  @Test
  void liftedWhileJobsWait_limitedBySubmitAgain_newNumberHolds() throws Exception {
    Group key = GROUP.key("k");
    ManualWorker worker = manualWorker(UNLIMITED);
    submit(UNLIMITED, 2, o -> o.concurrencyKey("k").concurrencyLimit(1));
    whileListening(() -> sluice.concurrency().removeLimit(key), worker);

    submit(UNLIMITED, 8, o -> o.concurrencyKey("k").concurrencyLimit(1));

    assertThat(worker.claimAll("t", 10)).hasSize(1);
  }

  @Test
  void lowered_longJobsRun_roomIsUsedAgainOnceDrained() throws Exception {
    Semaphore quick = new Semaphore(0);
    Semaphore slow = new Semaphore(0);
    AtomicInteger running = new AtomicInteger();
    sluice.concurrency().setLimit(GROUP, 6);
    closing(
        worker()
            .handle(
                UNLIMITED,
                (payload, context) -> {
                  running.incrementAndGet();
                  try {
                    (payload == 0 ? slow : quick).acquire();
                  } finally {
                    running.decrementAndGet();
                  }
                })
            .start());
    sluice.submitAll(UNLIMITED, List.of(0, 0, 0, 0, 1, 1));
    await().until(() -> running.get() == 6);
    sluice.submitAll(UNLIMITED, List.of(0, 0, 0));

    sluice.concurrency().setLimit(GROUP, 5);
    quick.release(2);
    await().during(Duration.ofMillis(300)).until(() -> running.get() == 5);
    slow.release(100);
    awaitCount(JobState.SUCCEEDED, 9);
  }
}
