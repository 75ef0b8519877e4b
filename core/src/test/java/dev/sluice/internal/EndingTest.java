package dev.sluice.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.JobTimeoutException;
import dev.sluice.PermanentFailure;
import dev.sluice.RetryPolicy;
import dev.sluice.RetryableException;
import dev.sluice.Snooze;
import dev.sluice.internal.Attempt.Stop;
import dev.sluice.spi.ClaimedJob;
import dev.sluice.spi.JobOutcome.Cancelled;
import dev.sluice.spi.JobOutcome.Failed;
import dev.sluice.spi.JobOutcome.HandedBack;
import dev.sluice.spi.JobOutcome.Retry;
import dev.sluice.spi.JobOutcome.Snoozed;
import dev.sluice.spi.JobOutcome.Succeeded;
import dev.sluice.spi.JobOutcome.Verdict;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class EndingTest {
  private static final RetryPolicy POLICY = RetryPolicy.exponential().maxAttempts(3).build();

  private Attempt attempt = attempt(1);

  private static Attempt attempt(int number) {
    ClaimedJob.Run run =
        new ClaimedJob.Run(
            number, true, Optional.of(Duration.ofSeconds(2)), Duration.ZERO, Optional.empty());
    return new Attempt(new ClaimedJob(UUID.randomUUID(), 1, "task", run, List.of(), "{}"), null, 0);
  }

  @AfterEach
  void clearInterrupt() {
    Thread.interrupted();
  }

  private Attempt stopped(Stop why) {
    attempt.begin(0);
    attempt.stop(why);
    assertThat(Thread.currentThread().isInterrupted()).isTrue();
    attempt.end();
    assertThat(Thread.currentThread().isInterrupted()).isFalse();
    return attempt;
  }

  private Verdict threw(Throwable thrown) {
    return Ending.threw(attempt, thrown, POLICY, () -> 0.5).verdict();
  }

  private Verdict returned(String result) {
    return Ending.returned(attempt, result, POLICY, () -> 0.5).verdict();
  }

  @Test
  void returned_isSuccess_withOrWithoutResult() {
    assertThat(returned(null)).isEqualTo(new Succeeded(Optional.empty()));
    assertThat(returned("1")).isEqualTo(new Succeeded(Optional.of("1")));
  }

  @Test
  void threw_anything_isTriedAgainUntilAttemptsAreUsedUp() {
    assertThat(threw(new StackOverflowError()))
        .isInstanceOfSatisfying(
            Retry.class, retry -> assertThat(retry.delay()).isEqualTo(Duration.ofSeconds(1)));

    attempt = attempt(3);
    assertThat(threw(new IllegalStateException("bad")))
        .isInstanceOfSatisfying(
            Failed.class, failed -> assertThat(failed.failure().message()).isEqualTo("bad"));
  }

  @Test
  void threw_retryable_waitsAsLongAsItAsks() {
    assertThat(threw(new RetryableException("busy", Duration.ofMinutes(7))))
        .isInstanceOfSatisfying(
            Retry.class, retry -> assertThat(retry.delay()).isEqualTo(Duration.ofMinutes(7)));
  }

  @Test
  void threw_permanentOrSnooze_doesAsItSays() {
    assertThat(threw(new PermanentFailure("no"))).isInstanceOf(Failed.class);
    assertThat(threw(new Snooze(Duration.ofHours(1)))).isEqualTo(new Snoozed(Duration.ofHours(1)));
  }

  @Test
  void cancelled_handlerThatStops_isCancelled_oneThatReturnsHasSucceeded() {
    stopped(Stop.CANCELLED);

    assertThat(threw(new InterruptedException())).isInstanceOf(Cancelled.class);
    assertThat(threw(new PermanentFailure("stopped"))).isInstanceOf(Cancelled.class);
    assertThat(returned(null)).isInstanceOf(Succeeded.class);
  }

  @Test
  void timedOut_isAFailureHoweverTheHandlerEnds() {
    stopped(Stop.TIMED_OUT);

    for (Verdict verdict : List.of(threw(new InterruptedException()), returned("late"))) {
      assertThat(verdict)
          .isInstanceOfSatisfying(
              Retry.class,
              retry -> {
                assertThat(retry.failure().type()).isEqualTo(JobTimeoutException.class.getName());
                assertThat(retry.failure().message()).isEqualTo("timed out after 2 s");
              });
    }
  }

  @Test
  void workerStops_interruptedHandler_isHandedBack() {
    stopped(Stop.HANDED_BACK);

    assertThat(threw(new RuntimeException(new InterruptedException())))
        .isInstanceOf(HandedBack.class);
    assertThat(returned(null)).isInstanceOf(Succeeded.class);
  }

  @Test
  void stop_secondReason_changesNothing_unlessTheLeaseIsLost() {
    attempt.stop(Stop.TIMED_OUT);
    attempt.stop(Stop.CANCELLED);
    assertThat(attempt.stopped()).isEqualTo(Stop.TIMED_OUT);

    attempt.stop(Stop.LEASE_LOST);
    assertThat(attempt.stopped()).isEqualTo(Stop.LEASE_LOST);
    assertThat(attempt.begin(0)).isFalse();
  }

  @Test
  void stop_afterTheEnd_interruptsNobody() {
    attempt.begin(0);
    attempt.end();

    attempt.stop(Stop.CANCELLED);

    assertThat(attempt.stopped()).isNull();
    assertThat(Thread.currentThread().isInterrupted()).isFalse();
  }

  @Test
  void givenUp_saysWhy() {
    assertThat(Ending.givenUp(6, 5).verdict())
        .isInstanceOfSatisfying(
            Failed.class,
            failed -> assertThat(failed.failure().message()).contains("died", "attempt 6"));
  }
}
