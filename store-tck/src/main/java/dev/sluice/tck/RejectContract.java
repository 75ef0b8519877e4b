package dev.sluice.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.Group;
import dev.sluice.JobState;
import dev.sluice.LimitReachedException;
import dev.sluice.OnLimit;
import dev.sluice.Submission;
import dev.sluice.Submission.Rejected;
import dev.sluice.SubmitOptions;
import dev.sluice.Task;
import dev.sluice.spi.ClaimedJob;
import dev.sluice.spi.JobOutcome;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Refusing at submit when a group is full: counted without a race, and said in so many words. */
abstract class RejectContract extends ContractTopic {
  private static final Task<Integer> TASK = task("t");
  private static final UnaryOperator<SubmitOptions> REJECT = o -> o.onLimit(OnLimit.REJECT);

  RejectContract(Supplier<StoreFixture> opener) {
    super(opener);
  }

  private Submission submitOrReject() {
    return sluice.submit(TASK, 0, REJECT);
  }

  @Test
  void pendingAndRunning_countTogether() {
    sluice.concurrency().setLimit("t", 3);
    for (int i = 0; i < 3; i++) {
      assertThat(submitOrReject().accepted()).isTrue();
    }
    Rejected full = new Rejected(TASK.group(), 3, 3);
    assertThat(submitOrReject()).isEqualTo(full);
    ManualWorker worker = manualWorker(TASK);
    ClaimedJob running = worker.claim("t", 1).get(0);
    assertThat(submitOrReject()).as("one runs, two wait").isEqualTo(full);
    List<ClaimedJob> others = worker.claimAll("t", 5);
    assertThat(submitOrReject()).as("all run").isEqualTo(full);

    assertThat(worker.succeed(running)).isTrue();
    assertThat(submitOrReject().accepted()).isTrue();
    assertThat(submitOrReject()).isEqualTo(full);
    assertThat(
            worker.report(
                others.get(0), new JobOutcome.Failed(new JobOutcome.Failure("Boom", "boom", ""))))
        .isTrue();
    assertThat(submitOrReject().accepted()).isTrue();
  }

  @Test
  void rejected_storesNothingAndSaysWhy() {
    sluice.concurrency().setLimit("t", 1);
    submitOrReject();

    Submission rejected = submitOrReject();
    assertThat(rejected.accepted()).isFalse();
    assertThatThrownBy(rejected::id)
        .isInstanceOf(LimitReachedException.class)
        .hasMessageContaining("ConcurrencyLimitReached")
        .hasMessageContaining("'t'");
    assertThat(sluice.jobs().counts()).containsEntry(JobState.READY, 1L);
  }

  @Test
  void futureJobs_doNotCount() {
    sluice.concurrency().setLimit("t", 2);
    submit(TASK, 5, o -> o.delay(Duration.ofHours(1)));

    assertThat(submitOrReject().accepted()).isTrue();
    assertThat(submitOrReject().accepted()).isTrue();
    assertThat(submitOrReject()).isEqualTo(new Rejected(TASK.group(), 2, 2));
  }

  @Test
  void jobThatComesDue_counts() {
    sluice.concurrency().setLimit("t", 1);
    submit(TASK, o -> o.delay(Duration.ofMillis(200)));
    awaitCount(JobState.SCHEDULED, 0);

    assertThat(submitOrReject()).isEqualTo(new Rejected(TASK.group(), 1, 1));
  }

  @Test
  void jobBetweenTwoAttempts_doesNotCountUntilDue() {
    sluice.concurrency().setLimit("t", 1);
    submitOrReject();
    ManualWorker worker = manualWorker(TASK);
    worker.report(
        worker.claim("t", 1).get(0),
        new JobOutcome.Retry(new JobOutcome.Failure("Boom", "boom", ""), Duration.ofHours(1)));

    assertThat(submitOrReject().accepted()).isTrue();
    assertThat(submitOrReject().accepted()).isFalse();
  }

  @Test
  void waitingSubmits_countAgainstRejectingOnes() {
    sluice.concurrency().setLimit("t", 2);
    submit(TASK, 7);

    assertThat(submitOrReject()).isEqualTo(new Rejected(TASK.group(), 2, 7));
  }

  @Test
  void fiftyAtOnce_exactlyTheLimitIsAccepted() throws Exception {
    List<Submission> answers =
        onThreads(
            50, () -> sluice.submit(TASK, 0, o -> o.concurrencyLimit(5).onLimit(OnLimit.REJECT)));

    assertThat(answers).filteredOn(Submission::accepted).hasSize(5);
    assertThat(answers)
        .filteredOn(answer -> !answer.accepted())
        .hasSize(45)
        .allMatch(answer -> answer.equals(new Rejected(TASK.group(), 5, 5)));
    assertThat(sluice.jobs().counts()).containsEntry(JobState.READY, 5L);
  }

  /**
   * While none of the jobs is stored, the key looks idle to the job without a number. Whether the
   * number of a job that is refused counts is left to the store.
   */
  @Test
  void besideAJobWithoutANumber_noMoreThanTheNumberAccepted() throws Exception {
    for (int round = 0; round < 10; round++) {
      String key = "k" + round;
      AtomicInteger threads = new AtomicInteger();
      List<Submission> answers =
          onThreads(
              4,
              () ->
                  threads.getAndIncrement() == 0
                      ? sluice.submit(TASK, 0, o -> o.concurrencyKey(key))
                      : sluice.submit(
                          TASK, 0, o -> REJECT.apply(o).concurrencyKey(key).concurrencyLimit(1)));

      assertThat(answers)
          .as("the job without a number, and at most one that may be rejected, of key %s", key)
          .filteredOn(Submission::accepted)
          .hasSizeBetween(1, 2);
      if (answers.stream().filter(Submission::accepted).count() == 2) {
        assertThat(sluice.concurrency().status(TASK.group().key(key)).limit()).hasValue(1);
      }
    }
  }

  @Test
  void fiftyAtOnceWhileJobsFinish_neverMoreThanTheLimitUnfinished() throws Exception {
    sluice.concurrency().setLimit("t", 5);
    closing(worker().handle(TASK, (payload, context) -> {}).start());
    List<Integer> accepted =
        onThreads(
            8,
            () -> {
              int count = 0;
              for (int i = 0; i < 25; i++) {
                Submission answer = submitOrReject();
                if (answer instanceof Rejected rejected) {
                  assertThat(rejected.count()).isGreaterThanOrEqualTo(5);
                } else {
                  count++;
                }
                long unfinished =
                    sluice.jobs().counts().entrySet().stream()
                        .filter(state -> !state.getKey().finished())
                        .mapToLong(java.util.Map.Entry::getValue)
                        .sum();
                assertThat(unfinished).isLessThanOrEqualTo(5);
              }
              return count;
            });

    awaitCount(JobState.SUCCEEDED, accepted.stream().mapToInt(Integer::intValue).sum());
  }

  @Test
  void oneBatch_countsItsOwn() {
    sluice.concurrency().setLimit("t", 5);
    List<Submission> answers =
        sluice.submitAll(TASK, IntStream.range(0, 20).boxed().toList(), REJECT);

    assertThat(answers.subList(0, 5)).allMatch(Submission::accepted);
    assertThat(answers.subList(5, 20)).allMatch(new Rejected(TASK.group(), 5, 5)::equals);
  }

  @Test
  void keys_eachCountForItself() {
    Group acme = TASK.group().key("acme");
    UnaryOperator<SubmitOptions> perKey =
        o -> o.concurrencyKey("acme").concurrencyLimit(1).onLimit(OnLimit.REJECT);

    assertThat(sluice.submit(TASK, 0, perKey).accepted()).isTrue();
    assertThat(sluice.submit(TASK, 0, perKey)).isEqualTo(new Rejected(acme, 1, 1));
    assertThat(sluice.submit(TASK, 0, o -> perKey.apply(o).concurrencyKey("bolt")).accepted())
        .isTrue();
    assertThat(submitOrReject().accepted()).as("without a key").isTrue();
  }

  @Test
  void severalGroups_theFullOneIsNamed() {
    sluice.concurrency().setLimit("t", 10);
    sluice.concurrency().setLimit(TASK.group().anyKey(), 1);
    submit(TASK, o -> o.concurrencyKey("k"));

    assertThat(sluice.submit(TASK, 0, o -> REJECT.apply(o).concurrencyKey("k")))
        .isEqualTo(new Rejected(TASK.group().key("k"), 1, 1));
    assertThat(sluice.submit(TASK, 0, o -> REJECT.apply(o).concurrencyKey("l")).accepted())
        .isTrue();
    sluice.concurrency().setLimit("t", 2);
    assertThat(sluice.submit(TASK, 0, o -> REJECT.apply(o).concurrencyKey("m")))
        .isEqualTo(new Rejected(TASK.group(), 2, 2));
  }

  @Test
  void limitZero_rejectsEverything() {
    sluice.concurrency().setLimit("t", 0);

    assertThat(submitOrReject()).isEqualTo(new Rejected(TASK.group(), 0, 0));
  }

  @Test
  void noLimit_rejectsNothing() {
    submit(TASK, 50);

    assertThat(submitOrReject().accepted()).isTrue();
  }

  @Test
  void rejected_leavesTheDedupeKeyFree() {
    sluice.concurrency().setLimit("t", 1);
    submitOrReject();
    assertThat(sluice.submit(TASK, 0, o -> REJECT.apply(o).dedupeKey("k")))
        .isInstanceOf(Rejected.class);

    Submission waiting = sluice.submit(TASK, 0, o -> o.dedupeKey("k"));
    assertThat(waiting.accepted()).isTrue();
    assertThat(sluice.submit(TASK, 0, o -> REJECT.apply(o).dedupeKey("k")))
        .as("a duplicate is a duplicate, also when there is no room")
        .isEqualTo(new Submission.Duplicate(waiting.id()));
    assertThat(state(waiting.id())).isEqualTo(JobState.READY);
  }
}
