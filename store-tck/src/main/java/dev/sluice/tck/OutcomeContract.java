package dev.sluice.tck;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.annotation.JsonRawValue;
import dev.sluice.JobState;
import dev.sluice.RetryableException;
import dev.sluice.Snooze;
import dev.sluice.Task;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Outcomes that no store could take down as they are: they cost their own job, and no other. */
abstract class OutcomeContract extends ContractTopic {
  private static final int FOLLOWING = 50;
  private static final Task<Integer> TASK = Task.named("t", Integer.class).build();
  private static final Duration FOR_EVER = Duration.ofSeconds(Long.MAX_VALUE);

  OutcomeContract(Supplier<StoreFixture> opener) {
    super(opener);
  }

  /** A result that its class claims to be JSON. */
  record Raw(@JsonRawValue String json) {}

  private void submitFollowing() {
    sluice.submitAll(TASK, Collections.nCopies(FOLLOWING, 0));
  }

  private Instant runAt(UUID id) {
    return job(id).spec().schedule().runAt();
  }

  @Test
  void enormousDelays_areCutAndTheWorkerGoesOn() {
    closing(
        worker()
            .handle(
                TASK,
                (n, context) -> {
                  if (n == 1) {
                    throw new RetryableException("the server said so", FOR_EVER);
                  } else if (n == 2) {
                    throw new Snooze(Duration.ofDays(100_000_000));
                  }
                })
            .start());
    UUID retried = sluice.submit(TASK, 1).id();
    UUID snoozed = sluice.submit(TASK, 2).id();
    awaitState(retried, JobState.SCHEDULED);
    awaitState(snoozed, JobState.SCHEDULED);
    submitFollowing();

    awaitCount(JobState.SUCCEEDED, FOLLOWING);
    for (UUID id : List.of(retried, snoozed)) {
      Instant submitted = job(id).spec().schedule().submittedAt();
      assertThat(runAt(id))
          .isBetween(submitted.plus(Duration.ofDays(365)), submitted.plus(Duration.ofDays(366)));
    }
  }

  @Test
  void enormousPromise_isCutAndTheWorkerGoesOn() {
    closing(worker().handle(TASK, (n, context) -> context.extendLease(FOR_EVER)).start());
    submitFollowing();

    awaitCount(JobState.SUCCEEDED, FOLLOWING);
  }

  /** A store may keep such a result, or refuse it; then the job has failed, and says why. */
  @Test
  void resultThatIsNoJson_endsItsJobAndTheWorkerGoesOn() {
    closing(
        worker()
            .handleReturning(TASK, (n, context) -> new Raw(n == 1 ? "{no json" : "[" + n + "]"))
            .start());
    List<UUID> broken =
        sluice.submitAll(TASK, List.of(1, 2, 1, 2)).stream().map(s -> s.id()).toList();
    submitFollowing();

    await().until(() -> broken.stream().allMatch(id -> job(id).state().finished()));
    awaitCount(JobState.RUNNING, 0);
    for (int i : List.of(0, 2)) {
      UUID id = broken.get(i);
      if (state(id) == JobState.FAILED) {
        assertThat(job(id).lastFailure().orElseThrow().message())
            .contains("The store refused how this attempt ended", "json");
      }
    }
    assertThat(state(broken.get(1))).isEqualTo(JobState.SUCCEEDED);
    assertThat(state(broken.get(3))).isEqualTo(JobState.SUCCEEDED);
    await()
        .until(
            () ->
                sluice.jobs().counts().get(JobState.SUCCEEDED)
                        + sluice.jobs().counts().get(JobState.FAILED)
                    == FOLLOWING + 4);
  }
}
