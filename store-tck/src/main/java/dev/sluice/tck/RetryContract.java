package dev.sluice.tck;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Group;
import dev.sluice.JobFailure;
import dev.sluice.JobInfo;
import dev.sluice.JobState;
import dev.sluice.PermanentFailure;
import dev.sluice.RetryPolicy;
import dev.sluice.RetryableException;
import dev.sluice.SluiceException;
import dev.sluice.Task;
import dev.sluice.spi.ClaimedJob;
import dev.sluice.spi.JobOutcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Failed attempts: recorded, tried again, and counted toward the limit while they run. */
abstract class RetryContract extends ContractTopic {
  private static final JobOutcome.Failure BOOM =
      new JobOutcome.Failure("example.Boom", "it went boom", "at example.Boom.go");

  RetryContract(Supplier<StoreFixture> opener) {
    super(opener);
  }

  private static Task<Integer> retrying(String name, int attempts) {
    return Task.named(name, Integer.class).retry(policy(attempts)).build();
  }

  private static RetryPolicy policy(int attempts) {
    return RetryPolicy.exponential()
        .maxAttempts(attempts)
        .firstDelay(Duration.ofMillis(10))
        .multiplier(1)
        .jitter(0)
        .build();
  }

  @Test
  void retryOutcome_isScheduledWithTheFailureOnRecord() {
    Task<Integer> task = task("t", 1);
    UUID id = submit(task);
    ManualWorker worker = manualWorker(task);
    ClaimedJob first = worker.claim("t", 1).get(0);

    assertThat(worker.report(first, new JobOutcome.Retry(BOOM, Duration.ofHours(1)))).isTrue();

    JobInfo job = job(id);
    assertThat(job.state()).isEqualTo(JobState.SCHEDULED);
    assertThat(job.progress().attempt()).isEqualTo(1);
    assertThat(job.spec().schedule().runAt())
        .isAfter(job.spec().schedule().submittedAt().plus(Duration.ofMinutes(59)));
    JobFailure failure = job.lastFailure().orElseThrow();
    assertThat(failure.attempt()).isEqualTo(1);
    assertThat(failure.type()).isEqualTo("example.Boom");
    assertThat(failure.message()).isEqualTo("it went boom");
    assertThat(failure.stackTrace()).contains("example.Boom.go");
    assertThat(job.outcome()).isEqualTo(JobInfo.Outcome.PENDING);
    assertThat(worker.claim("t", 1)).as("not due").isEmpty();
  }

  @Test
  void retryOutcome_nextClaimIsTheNextAttempt() {
    Task<Integer> task = task("t");
    UUID id = submit(task);
    ManualWorker worker = manualWorker(task);
    for (int attempt = 1; attempt <= 25; attempt++) {
      ClaimedJob job =
          await().until(() -> worker.claim("t", 1), claimed -> !claimed.isEmpty()).get(0);
      assertThat(job.run().attempt()).isEqualTo(attempt);
      worker.report(job, new JobOutcome.Retry(BOOM, Duration.ZERO));
    }

    assertThat(job(id).failures())
        .as("the latest twenty, oldest first")
        .extracting(JobFailure::attempt)
        .containsExactlyElementsOf(java.util.stream.IntStream.rangeClosed(6, 25).boxed().toList());
  }

  @Test
  void failedOutcome_isTheEnd() {
    Task<Integer> task = task("t");
    UUID id = submit(task);
    ManualWorker worker = manualWorker(task);
    worker.report(worker.claim("t", 1).get(0), new JobOutcome.Failed(BOOM));

    assertThat(state(id)).isEqualTo(JobState.FAILED);
    assertThat(job(id).outcome().finishedAt()).isPresent();
    assertThat(job(id).failures()).hasSize(1);
    assertThat(worker.claim("t", 1)).isEmpty();
  }

  @Test
  void failureOfAnyText_isStored() {
    Task<Integer> task = task("t");
    UUID id = submit(task);
    ManualWorker worker = manualWorker(task);
    String nasty = "NUL \0 quote ' \" 😀 " + "long ".repeat(5_000);

    assertThat(
            worker.report(
                worker.claim("t", 1).get(0),
                new JobOutcome.Failed(new JobOutcome.Failure("Boom", nasty, nasty))))
        .isTrue();
    assertThat(state(id)).isEqualTo(JobState.FAILED);
    assertThat(job(id).lastFailure().orElseThrow().message()).contains("quote ' \" 😀");
  }

  @Test
  void handlerThatFailsTwice_succeedsAtTheThird() {
    Task<Integer> task = retrying("t", 5);
    List<Integer> attempts = Collections.synchronizedList(new ArrayList<>());
    closing(
        worker()
            .handle(
                task,
                (payload, context) -> {
                  attempts.add(context.attempt());
                  if (context.attempt() < 3) {
                    throw new IllegalStateException("attempt " + context.attempt());
                  }
                })
            .start());
    UUID id = submit(task);

    awaitState(id, JobState.SUCCEEDED);
    assertThat(attempts).containsExactly(1, 2, 3);
    assertThat(job(id).progress().attempt()).isEqualTo(3);
    assertThat(job(id).failures()).extracting(JobFailure::attempt).containsExactly(1, 2);
    assertThat(job(id).failures())
        .extracting(JobFailure::message)
        .containsExactly("attempt 1", "attempt 2");
    assertThat(job(id).failures())
        .extracting(JobFailure::type)
        .containsOnly(IllegalStateException.class.getName());
  }

  @Test
  void attemptsExhausted_failsForGood() {
    Task<Integer> task = retrying("t", 3);
    AtomicInteger runs = new AtomicInteger();
    closing(
        worker()
            .handle(
                task,
                (payload, context) -> {
                  runs.incrementAndGet();
                  throw new RetryableException("again", Duration.ofMillis(1));
                })
            .start());
    UUID id = submit(task);

    awaitState(id, JobState.FAILED);
    assertThat(runs).hasValue(3);
    assertThat(job(id).failures()).hasSize(3);
  }

  @Test
  void permanentFailure_isNotTriedAgain() {
    Task<Integer> task = retrying("t", 5);
    AtomicInteger runs = new AtomicInteger();
    closing(
        worker()
            .handle(
                task,
                (payload, context) -> {
                  runs.incrementAndGet();
                  throw new PermanentFailure("no use");
                })
            .start());
    UUID id = submit(task);

    awaitState(id, JobState.FAILED);
    assertThat(runs).hasValue(1);
    assertThat(job(id).progress().attempt()).isEqualTo(1);
    assertThat(job(id).lastFailure().orElseThrow().message()).isEqualTo("no use");
  }

  @Test
  void retryableException_delayReplacesThePolicy() {
    Task<Integer> task = retrying("t", 5);
    closing(
        worker()
            .handle(
                task,
                (payload, context) -> {
                  throw new RetryableException("later", Duration.ofHours(3));
                })
            .start());
    UUID id = submit(task);

    await().until(() -> !job(id).failures().isEmpty());
    assertThat(state(id)).isEqualTo(JobState.SCHEDULED);
    assertThat(job(id).spec().schedule().runAt())
        .isAfter(job(id).spec().schedule().submittedAt().plus(Duration.ofHours(2)));
  }

  @Test
  void errorThrown_failsTheAttemptNotTheWorker() {
    Task<Integer> task = retrying("t", 1);
    closing(
        worker()
            .handle(
                task,
                (payload, context) -> {
                  if (payload == 0) {
                    throw new StackOverflowError("deep");
                  }
                })
            .start());
    UUID broken = sluice.submit(task, 0).id();
    UUID fine = sluice.submit(task, 1).id();

    awaitState(broken, JobState.FAILED);
    awaitState(fine, JobState.SUCCEEDED);
  }

  @Test
  void retry_keepsItsKeyAndCountsWhileItRuns() {
    Task<Integer> task = Task.named("t", Integer.class).maxConcurrentPerKey(1).build();
    UUID id = submit(task, o -> o.concurrencyKey("k"));
    ManualWorker worker = manualWorker(task);
    worker.report(worker.claim("t", 1).get(0), new JobOutcome.Retry(BOOM, Duration.ZERO));
    submit(task, o -> o.concurrencyKey("k"));

    List<ClaimedJob> second =
        await().until(() -> worker.claim("t", 5), claimed -> !claimed.isEmpty());
    assertThat(second).hasSize(1);
    assertThat(worker.claim("t", 5)).isEmpty();
    Group key = Group.of("t").key("k");
    assertThat(active(key)).isEqualTo(1);
    assertThat(job(id).spec().groups()).contains(key);
    worker.succeedAll(second);
    List<ClaimedJob> third = worker.claim("t", 5);
    assertThat(third).hasSize(1);
    worker.succeedAll(third);
    assertThat(sluice.jobs().counts()).containsEntry(JobState.SUCCEEDED, 2L);
  }

  @Test
  void failingJobsUnderALimit_neverOverlapAndNoneIsLost() {
    Task<Integer> task = Task.named("t", Integer.class).maxConcurrent(2).retry(policy(3)).build();
    OverlapMeter meter = new OverlapMeter();
    for (int i = 0; i < 2; i++) {
      closing(
          worker(anotherProcess())
              .handle(
                  task,
                  (payload, context) -> {
                    try (OverlapMeter.Run run = meter.begin("t")) {
                      TimeUnit.MICROSECONDS.sleep(300);
                      if (context.attempt() < 3) {
                        throw new RetryableException("not yet");
                      }
                    }
                  })
              .start());
    }
    submit(task, 60);

    awaitCount(JobState.SUCCEEDED, 60);
    assertThat(meter.count("t")).isEqualTo(180);
    assertThat(meter.peak("t")).isBetween(1, 2);
  }

  @Test
  void retryByHand_runsAFailedJobWithAllItsAttemptsAgain() {
    Task<Integer> task = retrying("t", 2);
    AtomicInteger runs = new AtomicInteger();
    closing(
        worker()
            .handle(
                task,
                (payload, context) -> {
                  runs.incrementAndGet();
                  throw new RetryableException("again");
                })
            .start());
    UUID id = submit(task);
    awaitState(id, JobState.FAILED);
    assertThat(runs).hasValue(2);

    assertThat(sluice.jobs().retry(id)).isTrue();
    await().until(() -> runs.get() == 4);
    awaitState(id, JobState.FAILED);
    assertThat(runs).hasValue(4);
  }

  @Test
  void retryByHand_failedAndCancelledOnly() {
    Task<Integer> task = task("t");
    UUID ready = submit(task);
    assertThat(sluice.jobs().retry(ready)).as("ready").isFalse();
    ManualWorker worker = manualWorker(task);
    ClaimedJob job = worker.claim("t", 1).get(0);
    assertThat(sluice.jobs().retry(ready)).as("running").isFalse();
    worker.succeed(job);
    assertThat(sluice.jobs().retry(ready)).as("succeeded").isFalse();
    assertThat(sluice.jobs().retry(UUID.randomUUID())).as("unknown").isFalse();

    UUID cancelled = submit(task);
    sluice.jobs().cancel(cancelled);
    assertThat(sluice.jobs().retry(cancelled)).isTrue();
    assertThat(state(cancelled)).isEqualTo(JobState.READY);
    assertThat(job(cancelled).outcome()).isEqualTo(JobInfo.Outcome.PENDING);
    assertThat(ids(worker.claim("t", 5))).containsExactly(cancelled);
  }

  @Test
  void retryByHand_keepsGroupsAndLimit() {
    Task<Integer> task = Task.named("t", Integer.class).maxConcurrentPerKey(1).build();
    UUID id = submit(task, o -> o.concurrencyKey("k"));
    ManualWorker worker = manualWorker(task);
    worker.report(worker.claim("t", 1).get(0), new JobOutcome.Failed(BOOM));
    submit(task, o -> o.concurrencyKey("k"));
    assertThat(sluice.jobs().retry(id)).isTrue();

    assertThat(worker.claimAll("t", 5)).as("one of the key at a time").hasSize(1);
  }

  @Test
  void retryByHand_dedupeKeyTakenMeanwhile_neverMakesTwo() throws Exception {
    Task<Integer> task = task("t");
    UUID first = submit(task, o -> o.dedupeKey("k"));
    sluice.jobs().cancel(first);
    UUID second = submit(task, o -> o.dedupeKey("k"));

    try {
      assertThat(sluice.jobs().retry(first)).isFalse();
    } catch (SluiceException e) {
      assertThat(e).hasMessageContaining("k");
    }
    assertThat(state(first)).isEqualTo(JobState.CANCELLED);
    assertThat(ids(manualWorker(task).claimAll("t", 5))).isEqualTo(Set.of(second));
  }

  @Test
  void succeededAfterFailures_stopsRetrying() throws Exception {
    Task<Integer> task = retrying("t", 5);
    CountDownLatch second = new CountDownLatch(2);
    AtomicInteger runs = new AtomicInteger();
    closing(
        worker()
            .handle(
                task,
                (payload, context) -> {
                  runs.incrementAndGet();
                  second.countDown();
                  if (context.attempt() == 1) {
                    throw new RetryableException("once");
                  }
                })
            .handle(task("marker"), (payload, context) -> {})
            .start());
    UUID id = submit(task);
    assertThat(second.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
    awaitState(id, JobState.SUCCEEDED);
    awaitState(submit(task("marker")), JobState.SUCCEEDED);
    assertThat(runs).hasValue(2);
  }
}
