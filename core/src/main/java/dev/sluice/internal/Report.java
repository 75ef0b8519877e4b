package dev.sluice.internal;

import dev.sluice.InvalidRequestException;
import dev.sluice.spi.JobOutcome;
import dev.sluice.spi.JobOutcome.Cancelled;
import dev.sluice.spi.JobOutcome.Failed;
import dev.sluice.spi.JobOutcome.Failure;
import dev.sluice.spi.JobOutcome.Retry;
import java.time.Duration;
import java.util.UUID;

/**
 * An outcome on its way to the store.
 *
 * @param outcome what the store is told
 * @param attempt whose outcome it is
 * @param failure what the handler threw, if it failed; else null
 * @param sent whether it was part of an exchange whose own outcome is unknown
 */
record Report(JobOutcome outcome, Attempt attempt, Throwable failure, boolean sent) {
  private static final String REFUSED = "OutcomeRefused";

  /** When a job is tried again of which the store records no end. */
  static final Duration PUT_OFF = Duration.ofDays(1);

  UUID id() {
    return outcome.id();
  }

  /** The same, as the store recorded it: somebody had asked the job to stop. */
  Report recordedAsCancelled() {
    JobOutcome recorded =
        new JobOutcome(outcome.id(), outcome.token(), new Cancelled(), outcome.ran());
    return new Report(recorded, attempt, null, sent);
  }

  /** The same attempt as a failure for good: the store does not take its outcome down. */
  Report refusedBy(InvalidRequestException refusal) {
    String message =
        "The store refused how this attempt ended (%s): %s"
            .formatted(outcome.verdict().getClass().getSimpleName(), refusal.getMessage());
    Failure reason = new Failure(REFUSED, BoundedText.of(message, BoundedText.LONGEST_MESSAGE), "");
    JobOutcome failed =
        new JobOutcome(outcome.id(), outcome.token(), new Failed(reason), outcome.ran());
    return new Report(failed, attempt, refusal, false);
  }

  /** Whether it is such a failure. */
  boolean saysThatItWasRefused() {
    return outcome.verdict() instanceof Failed failed && failed.failure().type().equals(REFUSED);
  }

  /** Such a failure as one that is tried again later: the store may take that down. */
  Report putOff() {
    Failure reason = ((Failed) outcome.verdict()).failure();
    JobOutcome later =
        new JobOutcome(outcome.id(), outcome.token(), new Retry(reason, PUT_OFF), outcome.ran());
    return new Report(later, attempt, failure, false);
  }

  /** Whether it is one that was put off. */
  boolean isPutOff() {
    return outcome.verdict() instanceof Retry retry && retry.failure().type().equals(REFUSED);
  }

  Report onceSent() {
    return new Report(outcome, attempt, failure, true);
  }
}
