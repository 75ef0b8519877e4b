package dev.sluice.tck;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.ConcurrencyLimits;
import dev.sluice.Group;
import dev.sluice.JobState;
import dev.sluice.RetryPolicy;
import dev.sluice.SlotInfo;
import dev.sluice.Task;
import dev.sluice.Why;
import dev.sluice.Why.Reason;
import dev.sluice.spi.WorkerRegistration;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Why a job is where it is, as far as this store can tell. */
abstract class WhyContract extends ContractTopic {
  private static final Task<Integer> TASK = task("t");
  private static final Task<Integer> LIMITED = task("limited", 1);

  WhyContract(Supplier<StoreFixture> opener) {
    super(opener);
  }

  private Why why(UUID id) {
    return sluice.why(id).orElseThrow();
  }

  private List<Reason> reasons(UUID id) {
    return why(id).reasons();
  }

  private <R extends Reason> R only(UUID id, Class<R> type) {
    List<Reason> reasons = reasons(id);
    assertThat(reasons).singleElement().isInstanceOf(type);
    return type.cast(reasons.get(0));
  }

  @Test
  void unknownJob_hasNoAnswer() {
    assertThat(sluice.why(UUID.randomUUID())).isEmpty();
  }

  @Test
  void noWorkerAtAll_isTheReason() {
    UUID id = submit(TASK, o -> o.queue("mail"));

    Why why = why(id);

    assertThat(why.reasons()).containsExactly(new Why.NoWorkerForQueue("mail"));
    assertThat(why.estimatedStart()).isEmpty();
    assertThat(why.place().orElseThrow().ahead()).isZero();
  }

  @Test
  void workerWithoutHandler_isTheReason() {
    manualWorker(task("another"));
    UUID id = submit(TASK);

    assertThat(reasons(id)).containsExactly(new Why.NoHandler("t", "default"));
  }

  @Test
  void workerWhoseLeaseHasExpired_doesNotCount() {
    manualWorker(fixture.shortLease(), TASK);
    UUID id = submit(TASK);

    only(id, Why.AboutToStart.class);
    await()
        .untilAsserted(
            () -> assertThat(reasons(id)).containsExactly(new Why.NoWorkerForQueue("default")));
  }

  @Test
  void notDueYet_saysUntilWhen() {
    manualWorker(TASK);
    Instant later = Instant.now().plus(Duration.ofHours(1)).truncatedTo(ChronoUnit.MILLIS);
    UUID id = submit(TASK, o -> o.runAt(later));

    Why why = why(id);

    assertThat(why.reasons()).containsExactly(new Why.NotDue(later, false));
    assertThat(why.estimatedStart()).contains(later);
    assertThat(why.place()).isEmpty();
  }

  @Test
  void notDueAndPaused_saysBoth() {
    manualWorker(TASK);
    sluice.queues().pause("default");
    UUID id = submit(TASK, o -> o.delay(Duration.ofHours(1)));

    List<Reason> reasons = reasons(id);

    assertThat(reasons).extracting(Reason::kind).containsExactly("not_due", "queue_paused");
    assertThat(why(id).estimatedStart()).isEmpty();
  }

  @Test
  void betweenTwoAttempts_saysThatItIsTriedAgain() {
    Task<Integer> failing =
        Task.named("failing", Integer.class)
            .retry(
                RetryPolicy.exponential()
                    .firstDelay(Duration.ofHours(1))
                    .maxDelay(Duration.ofHours(2))
                    .maxAttempts(3)
                    .build())
            .build();
    closing(
        worker()
            .handle(
                failing,
                (payload, context) -> {
                  throw new IllegalStateException("boom");
                })
            .start());
    UUID id = submit(failing);
    await().until(() -> !job(id).failures().isEmpty());

    assertThat(only(id, Why.NotDue.class).retry()).isTrue();
  }

  @Test
  void groupHeld_saysSinceWhenAndByWhom() {
    manualWorker(TASK);
    ConcurrencyLimits operator = sluice.concurrency().as("alice");
    operator.setLimit("t", 0);
    UUID id = submit(TASK);

    Why.GroupHeld held = only(id, Why.GroupHeld.class);

    assertThat(held.status().origin().change().orElseThrow().by()).isEqualTo("alice");
    assertThat(held.sentence()).contains("'t' is 0 since").contains("alice");
    assertThat(why(id).estimatedStart()).isEmpty();
  }

  @Test
  void groupFull_saysWhoHoldsItAndWhoIsAhead() {
    UUID first = submit(LIMITED);
    ManualWorker holder = manualWorker(LIMITED);
    assertThat(holder.claim("limited", 1)).hasSize(1);
    submit(LIMITED, 3);
    UUID id = submit(LIMITED);

    Why why = why(id);

    Why.GroupFull full = only(id, Why.GroupFull.class);
    assertThat(full.status().active()).isEqualTo(1);
    SlotInfo slot = full.status().slots().get(0);
    assertThat(slot.taskId()).contains(first.toString());
    assertThat(slot.workerId()).contains(holder.id());
    assertThat(why.place()).contains(new Why.Place(3, false, Optional.of(Group.of("limited"))));
    assertThat(why.estimatedStart()).as("nobody knows how long these jobs take").isEmpty();
  }

  @Test
  void groupFull_durationsAreKnown_estimatesTheStart() throws Exception {
    CountDownLatch finish = new CountDownLatch(1);
    closing(
        worker()
            .handle(
                LIMITED,
                (payload, context) -> {
                  if (payload == 0) {
                    Thread.sleep(300);
                  } else {
                    finish.await();
                  }
                })
            .start());
    awaitState(submit(LIMITED), JobState.SUCCEEDED);
    UUID holder = sluice.submit(LIMITED, 1).id();
    awaitState(holder, JobState.RUNNING);
    UUID id = submit(LIMITED);

    await().untilAsserted(() -> assertThat(why(id).estimatedStart()).isPresent());
    assertThat(why(id).estimatedStart().orElseThrow())
        .isBetween(Instant.now().minusSeconds(5), Instant.now().plusSeconds(30));
    finish.countDown();
    awaitState(id, JobState.SUCCEEDED);
  }

  @Test
  void workersBusy_isTheReason() {
    CountDownLatch finish = new CountDownLatch(1);
    closing(worker().concurrency(1).handle(TASK, (payload, context) -> finish.await()).start());
    awaitState(submit(TASK), JobState.RUNNING);
    UUID id = submit(TASK);

    await().untilAsserted(() -> assertThat(reasons(id)).containsExactly(new Why.WorkersBusy(1, 1)));
    assertThat(why(id).place().orElseThrow().group()).isEmpty();
    finish.countDown();
    awaitState(id, JobState.SUCCEEDED);
  }

  @Test
  void severalReasons_areAllTold() {
    manualWorker(
        new WorkerRegistration("elsewhere", Set.of("other"), Set.of("t"), Map.of(), LONG_LEASE));
    sluice.queues().pause("default");
    sluice.concurrency().setLimit("t", 0);
    UUID id = submit(TASK);

    assertThat(reasons(id))
        .extracting(Reason::kind)
        .containsExactly("queue_paused", "no_worker_for_queue", "group_held");
  }

  @Test
  void running_saysWhereAndHowLongItWaited() {
    CountDownLatch finish = new CountDownLatch(1);
    UUID id = submit(TASK);
    String worker =
        closing(worker().handle(TASK, (payload, context) -> finish.await()).start()).id();
    awaitState(id, JobState.RUNNING);

    assertThat(only(id, Why.Running.class).workerId()).isEqualTo(worker);
    assertThat(why(id).waited().orElseThrow().afterDue()).isPositive();
    finish.countDown();
    awaitState(id, JobState.SUCCEEDED);
  }

  @Test
  void finished_saysWhatItWaitedFor() throws Exception {
    CountDownLatch finish = new CountDownLatch(1);
    closing(worker().handle(LIMITED, (payload, context) -> finish.await()).start());
    awaitState(submit(LIMITED), JobState.RUNNING);
    UUID id = submit(LIMITED);
    // Some stores know since when a group is full to the second only.
    awaitStoreTime(job(id).spec().schedule().runAt().plusSeconds(2));
    finish.countDown();
    awaitState(id, JobState.SUCCEEDED);

    assertThat(only(id, Why.Finished.class).state()).isEqualTo(JobState.SUCCEEDED);
    Why.Wait waited = why(id).waited().orElseThrow();
    assertThat(waited.heldBackBy()).contains(Group.of("limited"));
    assertThat(waited.afterDue()).isPositive();
    assertThat(waited.untilDue()).isLessThan(Duration.ofSeconds(1));
  }

  @Test
  void cancelledBeforeItStarted_waitedForNothing() {
    UUID id = submit(TASK);
    sluice.jobs().cancel(id);

    assertThat(only(id, Why.Finished.class).state()).isEqualTo(JobState.CANCELLED);
    assertThat(why(id).waited()).isEmpty();
  }
}
