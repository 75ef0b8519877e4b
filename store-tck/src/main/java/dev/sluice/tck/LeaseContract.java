package dev.sluice.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.InvalidRequestException;
import dev.sluice.JobState;
import dev.sluice.LeaseLostException;
import dev.sluice.SlotInfo;
import dev.sluice.Task;
import dev.sluice.spi.ClaimedJob;
import dev.sluice.spi.Exchange;
import dev.sluice.spi.Exchange.Demand;
import dev.sluice.spi.Exchange.TaskDemand;
import dev.sluice.spi.HeldSlot;
import dev.sluice.spi.JobOutcome;
import dev.sluice.spi.Standing;
import dev.sluice.spi.WorkerSession;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Leases and fencing tokens: who stops renewing loses everything, and a zombie does no harm. */
abstract class LeaseContract extends ContractTopic {
  private static final Task<Integer> TASK = task("t", 3);

  LeaseContract(Supplier<StoreFixture> opener) {
    super(opener);
  }

  private static Exchange report(ClaimedJob job, JobOutcome.Verdict verdict) {
    return new Exchange(
        List.of(new JobOutcome(job.id(), job.token(), verdict, Duration.ofMillis(1))),
        Set.of(),
        Map.of(),
        List.of(),
        Demand.NONE);
  }

  private static JobOutcome.Verdict success() {
    return new JobOutcome.Succeeded(Optional.of("\"zombie\""));
  }

  /** Waits until the lease has run out and another worker gets the job. */
  private ClaimedJob awaitTakeOver(ManualWorker heir, UUID id) {
    return await()
        .until(
            () -> {
              store.recover();
              return heir.claim("t", 10).stream().filter(job -> job.id().equals(id)).findFirst();
            },
            Optional::isPresent)
        .orElseThrow();
  }

  @Test
  void silentSession_losesJobsAndSlots() {
    UUID id = submit(TASK);
    ManualWorker silent = manualWorker(shortLease(), TASK);
    ManualWorker heir = manualWorker(TASK);
    ClaimedJob lost = silent.claim("t", 1).get(0);
    assertThat(heir.claim("t", 1)).isEmpty();

    ClaimedJob taken = awaitTakeOver(heir, id);
    assertThat(taken.token()).isGreaterThan(lost.token());
    assertThat(taken.run().attempt()).isEqualTo(2);
    assertThat(active("t")).isEqualTo(1);
    assertThat(sluice.concurrency().status("t").slots())
        .extracting(SlotInfo::workerId)
        .containsExactly(Optional.of(heir.id()));
  }

  @Test
  void zombie_everyCallIsRefused() {
    UUID id = submit(TASK);
    ManualWorker zombie = manualWorker(shortLease(), TASK);
    ManualWorker heir = manualWorker(TASK);
    ClaimedJob lost = zombie.claim("t", 1).get(0);
    ClaimedJob taken = awaitTakeOver(heir, id);

    WorkerSession session = zombie.session();
    assertThatThrownBy(() -> session.exchange(report(lost, success())))
        .isInstanceOf(LeaseLostException.class);
    assertThatThrownBy(() -> session.renew(Duration.ZERO)).isInstanceOf(LeaseLostException.class);
    assertThatThrownBy(() -> session.reconcile(Map.of(id, lost.token())))
        .isInstanceOf(LeaseLostException.class);
    assertThat(state(id)).isEqualTo(JobState.RUNNING);
    assertThat(job(id).progress().workerId()).contains(heir.id());
    session.close();
    assertThat(state(id)).as("signing off takes nothing along").isEqualTo(JobState.RUNNING);
    assertThat(active("t")).isEqualTo(1);

    assertThat(heir.succeed(taken)).isTrue();
    assertThat(job(id).outcome().result()).isEmpty();
  }

  @Test
  void expiredSession_isRefusedEvenIfNobodyHasNoticed() {
    UUID id = submit(TASK);
    ManualWorker late = manualWorker(shortLease(), TASK);
    ClaimedJob job = late.claim("t", 1).get(0);
    awaitStoreTime(sluice.concurrency().status("t").slots().get(0).expiresAt());

    WorkerSession session = late.session();
    assertThatThrownBy(() -> session.exchange(report(job, success())))
        .isInstanceOf(LeaseLostException.class);
    assertThatThrownBy(() -> session.renew(LONG_LEASE)).isInstanceOf(LeaseLostException.class);
    assertThatThrownBy(() -> session.reconcile(Map.of(id, job.token())))
        .isInstanceOf(LeaseLostException.class);
    store.recover();
    assertThat(ids(manualWorker(TASK).claim("t", 1))).containsExactly(id);
  }

  @Test
  void renewedSession_keepsEverything() {
    UUID id = submit(TASK);
    Duration lease = Duration.ofSeconds(2);
    ManualWorker renewing = manualWorker(lease, TASK);
    ClaimedJob job = renewing.claim("t", 1).get(0);
    ManualWorker silent = manualWorker(lease.multipliedBy(2), task("other"));

    // By the time a session of twice the lease has died, this one would be long dead.
    await()
        .pollInterval(Duration.ofMillis(100))
        .until(
            () -> {
              renewing.session().renew(Duration.ZERO);
              return !store.recover().deadWorkers().isEmpty();
            });
    assertThat(state(id)).isEqualTo(JobState.RUNNING);
    assertThat(renewing.succeed(job)).isTrue();
    assertThatThrownBy(() -> silent.session().renew(Duration.ZERO))
        .isInstanceOf(LeaseLostException.class);
  }

  @Test
  void renew_atLeast_lastsLongerAndIsNeverShortened() {
    UUID id = submit(TASK);
    ManualWorker extended = manualWorker(shortLease(), TASK);
    ClaimedJob job = extended.claim("t", 1).get(0);
    extended.session().renew(Duration.ofMinutes(2));
    extended.session().renew(Duration.ZERO);
    manualWorker(shortLease(), task("other"));

    await().until(() -> !store.recover().deadWorkers().isEmpty());
    assertThat(state(id)).isEqualTo(JobState.RUNNING);
    assertThat(extended.succeed(job)).isTrue();
  }

  @Test
  void slotExpiry_followsTheLease() {
    submit(TASK);
    ManualWorker worker = manualWorker(LONG_LEASE, TASK);
    worker.claim("t", 1);
    SlotInfo before = sluice.concurrency().status("t").slots().get(0);
    worker.session().renew(LONG_LEASE.multipliedBy(10));
    SlotInfo after = sluice.concurrency().status("t").slots().get(0);

    assertThat(after.expiresAt()).isAfter(before.expiresAt().plus(LONG_LEASE));
    assertThat(after.token()).isEqualTo(before.token());
  }

  @Test
  void tokens_onlyGrow() {
    submit(TASK);
    ManualWorker one = manualWorker(TASK);
    ManualWorker other = manualWorker(TASK);
    long last = 0;
    long lastSlot = 0;
    for (int i = 0; i < 20; i++) {
      ManualWorker worker = i % 2 == 0 ? one : other;
      ClaimedJob job = worker.claim("t", 1).get(0);
      HeldSlot slot = worker.slots("t").get(0);
      assertThat(job.token()).isGreaterThan(last);
      assertThat(slot.token()).isGreaterThan(lastSlot);
      last = job.token();
      lastSlot = slot.token();
      worker.report(job, new JobOutcome.HandedBack());
    }
  }

  @Test
  void outcomeWithAnOldToken_changesNothing() {
    UUID id = submit(TASK);
    ManualWorker worker = manualWorker(TASK);
    ManualWorker other = manualWorker(TASK);
    ClaimedJob old = worker.claim("t", 1).get(0);
    worker.report(old, new JobOutcome.HandedBack());

    ClaimedJob mine = worker.claim("t", 1).get(0);
    assertThat(worker.exchangeRaw(report(old, success())).accepted()).isEmpty();
    assertThat(state(id)).isEqualTo(JobState.RUNNING);
    worker.report(mine, new JobOutcome.HandedBack());

    ClaimedJob theirs = other.claim("t", 1).get(0);
    for (JobOutcome.Verdict verdict :
        List.of(
            success(),
            new JobOutcome.HandedBack(),
            new JobOutcome.Cancelled(),
            new JobOutcome.Snoozed(Duration.ZERO),
            new JobOutcome.Failed(new JobOutcome.Failure("Boom", "boom", "")),
            new JobOutcome.Retry(new JobOutcome.Failure("Boom", "boom", ""), Duration.ZERO))) {
      assertThat(worker.exchangeRaw(report(old, verdict)).accepted()).isEmpty();
      assertThat(worker.exchangeRaw(report(mine, verdict)).accepted()).isEmpty();
      assertThat(state(id)).as("after a late %s", verdict).isEqualTo(JobState.RUNNING);
    }
    assertThat(job(id).failures()).isEmpty();
    assertThat(other.succeed(theirs)).isTrue();
  }

  @Test
  void outcomeReportedTwice_isAcceptedOnce() {
    submit(TASK);
    ManualWorker worker = manualWorker(TASK);
    ClaimedJob job = worker.claim("t", 1).get(0);

    assertThat(worker.exchangeRaw(report(job, success())).accepted()).containsExactly(job.id());
    assertThat(worker.exchangeRaw(report(job, success())).accepted()).isEmpty();
    assertThat(worker.exchangeRaw(report(job, new JobOutcome.HandedBack())).accepted()).isEmpty();
    assertThat(state(job.id())).isEqualTo(JobState.SUCCEEDED);
  }

  @Test
  void slotReleasedTwice_freesItOnce() {
    Task<Integer> single = task("single", 1);
    submit(single, 2);
    ManualWorker worker = manualWorker(single);
    ManualWorker other = manualWorker(single);
    ClaimedJob job = worker.claim("single", 1).get(0);
    HeldSlot slot = worker.slots("single").get(0);
    worker.succeed(job);
    ClaimedJob next = other.claim("single", 1).get(0);

    Exchange again = new Exchange(List.of(), Set.of(), Map.of(), List.of(slot, slot), Demand.NONE);
    worker.exchangeRaw(again);
    assertThat(active("single")).isEqualTo(1);
    assertCountersAgree();
    assertThat(other.succeed(next)).isTrue();
    worker.exchangeRaw(again);
    assertThat(active("single")).isZero();
    assertCountersAgree();
  }

  @Test
  void reconcile_unknownJobsGoBackInLine() {
    submit(TASK, 3);
    ManualWorker worker = manualWorker(TASK);
    ManualWorker other = manualWorker(TASK);
    List<ClaimedJob> jobs = worker.claimAll("t", 3);
    assertThat(jobs).hasSize(3);
    UUID kept = jobs.get(1).id();

    Standing standing = worker.reconcile(List.of(jobs.get(1)));
    assertThat(standing.jobs()).containsOnlyKeys(kept);
    assertThat(standing.jobs().get(kept).limited()).containsExactly("t");
    assertThat(worker.slots("t")).as("slots that it is lent or its job names").isNotEmpty();
    assertThat(state(kept)).isEqualTo(JobState.RUNNING);
    for (ClaimedJob job : jobs) {
      if (!job.id().equals(kept)) {
        assertThat(state(job.id())).isIn(JobState.READY, JobState.WAITING);
        assertThat(worker.exchangeRaw(report(job, success())).accepted()).isEmpty();
      }
    }
    assertThat(worker.succeed(jobs.get(1))).isTrue();
    worker.close();
    Set<UUID> back = new HashSet<>(ids(jobs));
    back.remove(kept);
    assertThat(ids(other.claimAll("t", 3))).isEqualTo(back);
  }

  @Test
  void reconcile_knownJobThatIsNotItsOwn_isMissing() {
    UUID id = submit(TASK);
    ManualWorker worker = manualWorker(TASK);
    ManualWorker other = manualWorker(TASK);
    long token = other.claim("t", 1).get(0).token();

    assertThat(worker.session().reconcile(Map.of(id, token, UUID.randomUUID(), token)).jobs())
        .isEmpty();
    assertThat(job(id).progress().workerId()).contains(other.id());
  }

  /** The worker knows the job from an earlier claim, and never heard of the later one. */
  @Test
  void reconcile_jobKnownUnderAnOlderToken_goesBackInLine() {
    UUID id = submit(TASK);
    ManualWorker worker = manualWorker(TASK);
    ClaimedJob first = worker.claim("t", 1).get(0);
    assertThat(worker.report(first, new JobOutcome.HandedBack())).isTrue();
    ClaimedJob second = worker.claim("t", 1).get(0);
    assertThat(second.id()).isEqualTo(id);
    assertThat(second.token()).isGreaterThan(first.token());

    assertThat(worker.reconcile(List.of(first)).jobs()).isEmpty();
    assertThat(state(id)).isEqualTo(JobState.READY);
    assertThat(job(id).progress().workerId()).isEmpty();
    assertThat(worker.exchangeRaw(report(first, success())).accepted()).isEmpty();
    assertThat(worker.exchangeRaw(report(second, success())).accepted()).isEmpty();
    ClaimedJob third = worker.claim("t", 1).get(0);
    assertThat(worker.succeed(third)).isTrue();
    assertCountersAgree();
  }

  /** One exchange hands a job back and asks for more; its answer is lost. */
  @Test
  void lostAnswer_jobHandedBackInIt_isNotLeftBehind() {
    UUID id = submit(TASK);
    ManualWorker worker = manualWorker(TASK);
    ClaimedJob job = worker.claim("t", 1).get(0);
    JobOutcome back =
        new JobOutcome(id, job.token(), new JobOutcome.HandedBack(), Duration.ofMillis(1));
    Demand demand = new Demand(1, List.of(new TaskDemand("t", 1, 0)), Map.of());
    worker
        .session()
        .exchange(new Exchange(List.of(back), Set.of(), Map.of(), worker.slots("t"), demand));

    // As the worker does without that answer: it reconciles with what it has not seen recorded.
    Standing standing = worker.reconcile(List.of(job));
    List<JobOutcome> again = standing.jobs().containsKey(id) ? List.of(back) : List.of();
    worker.exchangeRaw(new Exchange(again, Set.of(), Map.of(), List.of(), Demand.NONE));
    assertThat(state(id)).as("no worker runs it").isEqualTo(JobState.READY);
    assertThat(job(id).progress().workerId()).isEmpty();
  }

  /** Else the worker could not tell the two claims apart, should the answer be lost. */
  @Test
  void exchange_neverGivesBackAJobThatItEnds() {
    UUID id = submit(TASK);
    ManualWorker worker = manualWorker(TASK);
    JobOutcome.Failure boom = new JobOutcome.Failure("example.Boom", "boom", "");
    Demand demand = new Demand(1, List.of(new TaskDemand("t", 1, 0)), Map.of("t", 1));
    for (JobOutcome.Verdict verdict :
        List.of(
            new JobOutcome.HandedBack(),
            new JobOutcome.Retry(boom, Duration.ZERO),
            new JobOutcome.Snoozed(Duration.ZERO))) {
      ClaimedJob job =
          await().until(() -> worker.claim("t", 1), claimed -> !claimed.isEmpty()).get(0);
      JobOutcome outcome = new JobOutcome(id, job.token(), verdict, Duration.ofMillis(1));
      Exchange.Answer answer =
          worker.exchangeRaw(new Exchange(List.of(outcome), Set.of(), Map.of(), List.of(), demand));
      assertThat(answer.accepted()).containsExactly(id);
      assertThat(answer.jobs()).as("%s", verdict).isEmpty();
      worker.reconcile(List.of());
    }
  }

  /** The store has gone back to an earlier state: it has given out no token yet. */
  @Test
  void workerThatHasSeenHigherTokens_isGivenHigherOnes() {
    long seen = 1_000_000_007L;
    submit(TASK, 2);
    ManualWorker fromBefore = manualWorker(registration(LONG_LEASE, TASK).seen(seen));
    ClaimedJob job = fromBefore.claim("t", 1).get(0);
    assertThat(job.token()).isGreaterThan(seen);
    assertThat(fromBefore.slots("t")).allMatch(slot -> slot.token() > seen);

    ClaimedJob next = manualWorker(TASK).claim("t", 1).get(0);
    assertThat(next.token()).as("of a worker that has seen none").isGreaterThan(job.token());
    manualWorker(registration(LONG_LEASE, TASK).seen(5));
    fromBefore.report(job, new JobOutcome.HandedBack());
    assertThat(fromBefore.claim("t", 1).get(0).token())
        .as("a lower one moves nothing back")
        .isGreaterThan(next.token());
  }

  @Test
  void tokensRaisedByHand_areAboveTheFloor() {
    submit(TASK, 2);
    ManualWorker worker = manualWorker(TASK);
    long before = worker.claim("t", 1).get(0).token();
    sluice.concurrency().raiseTokens(before + 10_000);
    sluice.concurrency().raiseTokens(1);
    assertThat(worker.claim("t", 1).get(0).token()).isGreaterThan(before + 10_000);
    assertThatThrownBy(() -> sluice.concurrency().raiseTokens(-1))
        .isInstanceOf(InvalidRequestException.class);
    assertThatThrownBy(() -> sluice.concurrency().raiseTokens(Long.MAX_VALUE))
        .as("no token would be left")
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("4611686018427387904");
  }

  @Test
  void reconcile_unknownJobAskedToStop_isCancelled() {
    UUID id = submit(TASK);
    ManualWorker worker = manualWorker(TASK);
    worker.claim("t", 1);
    sluice.jobs().cancel(id);

    worker.reconcile(List.of());
    assertThat(state(id)).isEqualTo(JobState.CANCELLED);
    assertThat(manualWorker(TASK).claim("t", 1)).isEmpty();
  }

  @Test
  void close_handsEverythingBackAtOnce() {
    List<UUID> ids = submit(TASK, 3);
    ManualWorker leaving = manualWorker(TASK);
    ManualWorker heir = manualWorker(TASK);
    assertThat(leaving.claimAll("t", 3)).hasSize(3);
    assertThat(heir.claim("t", 3)).isEmpty();

    leaving.close();
    leaving.close();
    assertThat(ids(heir.claimAll("t", 3))).containsExactlyInAnyOrderElementsOf(ids);
    assertThat(active("t")).isEqualTo(3);
  }

  @Test
  void deadSession_isDeadForItselfToo() {
    ManualWorker silent = manualWorker(shortLease(), TASK);
    await().until(() -> !store.recover().deadWorkers().isEmpty());
    assertThatThrownBy(() -> silent.claim("t", 1)).isInstanceOf(LeaseLostException.class);
    assertThatThrownBy(() -> silent.session().renew(LONG_LEASE))
        .isInstanceOf(LeaseLostException.class);
  }
}
