package dev.sluice.internal;

import dev.sluice.spi.JobOutcome;
import dev.sluice.spi.JobOutcome.Cancelled;
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
  UUID id() {
    return outcome.id();
  }

  /** The same, as the store recorded it: somebody had asked the job to stop. */
  Report recordedAsCancelled() {
    JobOutcome recorded =
        new JobOutcome(outcome.id(), outcome.token(), new Cancelled(), outcome.ran());
    return new Report(recorded, attempt, null, sent);
  }

  Report onceSent() {
    return new Report(outcome, attempt, failure, true);
  }
}
