package dev.sluice.tck;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.JobInfo;
import dev.sluice.JobState;
import dev.sluice.Snooze;
import dev.sluice.Task;
import dev.sluice.spi.ClaimedJob;
import dev.sluice.spi.JobOutcome;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Jobs for later: never before they are due by the store's clock, and promptly when they are. */
abstract class ScheduleContract extends ContractTopic {
  private static final Task<Integer> TASK = task("t");

  ScheduleContract(Supplier<StoreFixture> opener) {
    super(opener);
  }

  @Test
  void delayedJobs_startPromptlyButNeverBeforeTheyAreDue() {
    closing(worker().poll(PATIENCE.multipliedBy(2)).handle(TASK, (payload, context) -> {}).start());
    List<UUID> ids = new ArrayList<>();
    for (int i = 1; i <= 10; i++) {
      Duration delay = Duration.ofMillis(80L * i);
      ids.add(submit(TASK, o -> o.delay(delay)));
    }

    // Only the answer "the next is due in…" explains that these start long before the next poll.
    awaitCount(JobState.SUCCEEDED, 10);
    for (UUID id : ids) {
      JobInfo job = job(id);
      assertThat(job.progress().startedAt().orElseThrow())
          .isAfterOrEqualTo(job.spec().schedule().runAt());
    }
  }

  @Test
  void delay_countsFromTheMomentOfStoring() {
    JobInfo job = job(submit(TASK, o -> o.delay(Duration.ofMinutes(10))));

    assertThat(Duration.between(job.spec().schedule().submittedAt(), job.spec().schedule().runAt()))
        .isBetween(Duration.ofMinutes(10).minusSeconds(9), Duration.ofMinutes(10).plusSeconds(9));
  }

  @Test
  void farFuture_isKept() {
    Instant far = Instant.parse("9999-12-31T23:59:59Z");
    UUID id = submit(TASK, o -> o.runAt(far));

    assertThat(state(id)).isEqualTo(JobState.SCHEDULED);
    assertThat(job(id).spec().schedule().runAt()).isEqualTo(far);
    assertThat(manualWorker(TASK).claim("t", 5)).isEmpty();
  }

  @Test
  void scheduledJob_holdsNoSlot() {
    Task<Integer> limited = task("limited", 1);
    submit(limited, o -> o.delay(Duration.ofHours(1)).priority(100));
    UUID now = submit(limited);
    ManualWorker worker = manualWorker(limited);

    assertThat(ids(worker.claim("limited", 5))).containsExactly(now);
    assertThat(sluice.concurrency().status("limited").waiting()).isZero();
  }

  @Test
  void scheduledJobOfAFullGroup_waitsWhenDue() {
    Task<Integer> limited = task("limited", 1);
    submit(limited);
    ManualWorker worker = manualWorker(limited);
    ClaimedJob running = worker.claim("limited", 5).get(0);
    UUID later = submit(limited, o -> o.delay(Duration.ofMillis(100)));
    awaitState(later, JobState.WAITING);

    assertThat(worker.claim("limited", 5)).isEmpty();
    worker.succeed(running);
    // Whoever looks and the worker may know the time with different precision.
    await().untilAsserted(() -> assertThat(ids(worker.claim("limited", 5))).containsExactly(later));
  }

  @Test
  void snoozed_isScheduledAndTheAttemptDoesNotCount() {
    UUID id = submit(TASK);
    ManualWorker worker = manualWorker(TASK);
    worker.report(worker.claim("t", 1).get(0), new JobOutcome.Snoozed(Duration.ofHours(1)));

    assertThat(state(id)).isEqualTo(JobState.SCHEDULED);
    assertThat(job(id).progress().attempt()).isZero();
    assertThat(job(id).failures()).isEmpty();
    assertThat(worker.claim("t", 1)).isEmpty();
  }

  @Test
  void handlerThatSnoozes_runsAgainAsTheSameAttempt() {
    List<Integer> attempts = Collections.synchronizedList(new ArrayList<>());
    List<Long> tokens = Collections.synchronizedList(new ArrayList<>());
    closing(
        worker()
            .handle(
                TASK,
                (payload, context) -> {
                  attempts.add(context.attempt());
                  tokens.add(context.fencingToken());
                  if (attempts.size() < 4) {
                    throw new Snooze(Duration.ofMillis(30));
                  }
                })
            .start());
    UUID id = submit(TASK);

    awaitState(id, JobState.SUCCEEDED);
    assertThat(attempts).containsExactly(1, 1, 1, 1);
    assertThat(tokens).isSorted().doesNotHaveDuplicates();
    assertThat(job(id).progress().attempt()).isEqualTo(1);
    assertThat(job(id).failures()).isEmpty();
  }
}
