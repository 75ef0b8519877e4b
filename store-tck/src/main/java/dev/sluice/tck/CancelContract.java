package dev.sluice.tck;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.JobState;
import dev.sluice.Task;
import dev.sluice.spi.ClaimedJob;
import dev.sluice.spi.Exchange;
import dev.sluice.spi.Exchange.Answer;
import dev.sluice.spi.Exchange.TaskDemand;
import dev.sluice.spi.JobOutcome;
import dev.sluice.spi.JobOutcome.Verdict;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Calling jobs off: before they start, in a worker's buffer, and while they run. */
abstract class CancelContract extends ContractTopic {
  private static final Task<Integer> TASK = task("t");

  CancelContract(Supplier<StoreFixture> opener) {
    super(opener);
  }

  @Test
  void beforeStart_isCancelledAtOnce() {
    UUID ready = submit(TASK);
    UUID later = submit(TASK, o -> o.delay(Duration.ofHours(1)));
    UUID kept = submit(TASK);

    assertThat(sluice.jobs().cancel(ready)).isTrue();
    assertThat(sluice.jobs().cancel(later)).isTrue();
    assertThat(state(ready)).isEqualTo(JobState.CANCELLED);
    assertThat(state(later)).isEqualTo(JobState.CANCELLED);
    assertThat(job(ready).outcome().finishedAt()).isPresent();
    assertThat(ids(manualWorker(TASK).claim("t", 5))).containsExactly(kept);
  }

  @Test
  void finishedOrUnknown_changesNothing() {
    UUID id = submit(TASK);
    ManualWorker worker = manualWorker(TASK);
    worker.succeed(worker.claim("t", 1).get(0));

    assertThat(sluice.jobs().cancel(id)).isFalse();
    assertThat(state(id)).isEqualTo(JobState.SUCCEEDED);
    assertThat(sluice.jobs().cancel(UUID.randomUUID())).isFalse();
    UUID cancelled = submit(TASK);
    assertThat(sluice.jobs().cancel(cancelled)).isTrue();
    assertThat(sluice.jobs().cancel(cancelled)).isFalse();
  }

  @Test
  void manyAtOnce_eachAsIfAlone() {
    UUID running = submit(TASK);
    UUID done = submit(TASK);
    ManualWorker worker = manualWorker(TASK);
    List<ClaimedJob> claimed = worker.claim("t", 2);
    ClaimedJob first = claimed.stream().filter(job -> job.id().equals(done)).findFirst().get();
    worker.succeed(first);
    UUID ready = submit(TASK);
    UUID later = submit(TASK, o -> o.delay(Duration.ofHours(1)));
    UUID kept = submit(TASK);

    List<UUID> some = List.of(later, done, UUID.randomUUID(), running, ready);
    assertThat(store.jobs().cancelAll(some)).isEqualTo(3);
    assertThat(state(ready)).isEqualTo(JobState.CANCELLED);
    assertThat(state(later)).isEqualTo(JobState.CANCELLED);
    assertThat(state(done)).isEqualTo(JobState.SUCCEEDED);
    assertThat(state(running)).isEqualTo(JobState.RUNNING);
    assertThat(worker.session().renew(Duration.ZERO)).containsExactly(running);
    assertThat(store.jobs().cancelAll(List.of())).isZero();
    assertThat(ids(manualWorker(TASK).claim("t", 5))).containsExactly(kept);
  }

  @Test
  void waitingOnAFullGroup_isCancelledAtOnceAndTheGroupGoesOn() {
    Task<Integer> limited = task("limited", 1);
    List<UUID> ids = submit(limited, 3);
    ManualWorker worker = manualWorker(limited);
    ClaimedJob running = worker.claim("limited", 1).get(0);

    assertThat(sluice.jobs().cancel(ids.get(1))).isTrue();
    assertThat(state(ids.get(1))).isEqualTo(JobState.CANCELLED);
    assertThat(active("limited")).isEqualTo(1);
    worker.succeed(running);
    assertThat(ids(worker.claim("limited", 5))).containsExactly(ids.get(2));
  }

  @Test
  void running_isAskedToStop() {
    Task<Integer> limited = task("limited", 1);
    UUID id = submit(limited);
    ManualWorker worker = manualWorker(limited);
    ManualWorker other = manualWorker(limited);
    ClaimedJob job = worker.claim("limited", 1).get(0);
    assertThat(worker.session().renew(Duration.ZERO)).isEmpty();

    assertThat(sluice.jobs().cancel(id)).isTrue();
    assertThat(state(id)).isEqualTo(JobState.RUNNING);
    assertThat(job(id).progress().cancelRequested()).isTrue();
    assertThat(worker.session().renew(Duration.ZERO)).containsExactly(id);
    assertThat(other.session().renew(Duration.ZERO)).isEmpty();
    assertThat(active("limited")).as("the slot is held until it ends").isEqualTo(1);

    assertThat(worker.report(job, new JobOutcome.Cancelled())).isTrue();
    assertThat(state(id)).isEqualTo(JobState.CANCELLED);
    assertThat(active("limited")).isZero();
  }

  @Test
  void runningAndAskedToStop_isNotTriedAgain() {
    UUID id = submit(TASK);
    ManualWorker worker = manualWorker(TASK);
    ClaimedJob job = worker.claim("t", 1).get(0);
    assertThat(sluice.jobs().cancel(id)).isTrue();
    worker.report(
        job, new JobOutcome.Retry(new JobOutcome.Failure("Boom", "boom", ""), Duration.ZERO));

    assertThat(state(id)).isEqualTo(JobState.CANCELLED);
    assertThat(worker.claim("t", 5)).isEmpty();
  }

  @Test
  void runningAndAskedToStop_handedBackIsNotRunElsewhere() {
    UUID id = submit(TASK);
    ManualWorker worker = manualWorker(TASK);
    ClaimedJob job = worker.claim("t", 1).get(0);
    assertThat(sluice.jobs().cancel(id)).isTrue();
    worker.report(job, new JobOutcome.HandedBack());

    assertThat(state(id)).isEqualTo(JobState.CANCELLED);
    assertThat(manualWorker(TASK).claim("t", 5)).isEmpty();
  }

  @Test
  void buffered_workerIsToldAndNeverStartsIt() {
    Task<Integer> limited = task("limited", 1);
    submit(limited, 3);
    ManualWorker worker = manualWorker(limited);
    List<ClaimedJob> claimed = worker.claim(9, new TaskDemand("limited", 9, 5));
    assertThat(claimed).hasSize(3);
    worker.started(claimed.get(0));
    UUID buffered = claimed.get(1).id();

    assertThat(sluice.jobs().cancel(buffered)).isTrue();
    assertThat(worker.session().renew(Duration.ZERO)).contains(buffered);
    worker.reportUnstarted(claimed.get(1), new JobOutcome.Cancelled());
    assertThat(state(buffered)).isEqualTo(JobState.CANCELLED);
    assertThat(job(buffered).progress().attempt()).isZero();
    assertThat(worker.succeed(claimed.get(0))).isTrue();
    assertThat(worker.succeed(claimed.get(2))).isTrue();
  }

  @Test
  void askedToStop_answerSaysWhatIsOnRecord() {
    List<Verdict> verdicts =
        List.of(
            new JobOutcome.Retry(new JobOutcome.Failure("Boom", "boom", ""), Duration.ZERO),
            new JobOutcome.Snoozed(Duration.ofHours(1)),
            new JobOutcome.HandedBack(),
            new JobOutcome.Cancelled(),
            new JobOutcome.Succeeded(Optional.empty()),
            new JobOutcome.Failed(new JobOutcome.Failure("Boom", "boom", "")));
    submit(TASK, verdicts.size() + 1);
    ManualWorker worker = manualWorker(TASK);
    List<ClaimedJob> claimed = worker.claimAll("t", verdicts.size() + 1);
    List<JobOutcome> outcomes = new ArrayList<>();
    for (int i = 0; i < verdicts.size(); i++) {
      ClaimedJob job = claimed.get(i);
      assertThat(sluice.jobs().cancel(job.id())).isTrue();
      outcomes.add(new JobOutcome(job.id(), job.token(), verdicts.get(i), Duration.ofMillis(1)));
    }
    ClaimedJob wanted = claimed.get(verdicts.size());
    outcomes.add(
        new JobOutcome(wanted.id(), wanted.token(), verdicts.get(0), Duration.ofMillis(1)));

    Answer answer =
        worker.exchangeRaw(
            new Exchange(outcomes, Set.of(), Map.of(), List.of(), Exchange.Demand.NONE));
    assertThat(answer.accepted()).hasSize(claimed.size());
    assertThat(answer.cancelled()).containsExactlyInAnyOrderElementsOf(ids(claimed.subList(0, 4)));
    for (ClaimedJob job : claimed) {
      assertThat(state(job.id()) == JobState.CANCELLED)
          .isEqualTo(answer.cancelled().contains(job.id()));
    }
  }

  @Test
  void runningHandler_isInterruptedAndTold() throws Exception {
    CountDownLatch started = new CountDownLatch(1);
    AtomicBoolean interrupted = new AtomicBoolean();
    AtomicBoolean told = new AtomicBoolean();
    closing(
        worker()
            .handle(
                TASK,
                (payload, context) -> {
                  started.countDown();
                  try {
                    new CountDownLatch(1).await();
                  } catch (InterruptedException e) {
                    interrupted.set(true);
                    told.set(context.cancelled());
                    throw e;
                  }
                })
            .start());
    UUID id = submit(TASK);
    assertThat(started.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();

    assertThat(anotherProcess().jobs().cancel(id)).isTrue();
    awaitState(id, JobState.CANCELLED);
    assertThat(interrupted).isTrue();
    assertThat(told).isTrue();
    assertThat(job(id).progress().attempt()).isEqualTo(1);
  }

  @Test
  void jobsBehindABusySlot_cancelledOnesNeverRun() throws Exception {
    Task<Integer> limited = task("limited", 1);
    CountDownLatch release = new CountDownLatch(1);
    Set<UUID> ran = ConcurrentHashMap.newKeySet();
    closing(
        worker()
            .handle(
                limited,
                (payload, context) -> {
                  ran.add(context.jobId());
                  if (payload == 0) {
                    release.await();
                  }
                })
            .start());
    List<UUID> ids = submit(limited, 20);
    await().until(() -> ran.size() == 1);
    for (int i = 1; i < 20; i += 2) {
      assertThat(sluice.jobs().cancel(ids.get(i))).isTrue();
    }
    release.countDown();

    awaitCount(JobState.SUCCEEDED, 10);
    awaitCount(JobState.CANCELLED, 10);
    for (int i = 0; i < 20; i++) {
      assertThat(ran.contains(ids.get(i))).as("job %d ran", i).isEqualTo(i % 2 == 0);
    }
  }
}
