package dev.sluice.spi;

import dev.sluice.InvalidRequestException;
import java.util.UUID;

/**
 * Why a job of a run is not retried by itself: the run would know nothing of it, and have one step
 * more in flight than its cap allows.
 */
public final class StepRetry {
  private StepRetry() {}

  /** What {@link dev.sluice.Jobs#retry} throws then. */
  public static InvalidRequestException refused(UUID job, UUID run) {
    return new InvalidRequestException(
        "The job %s is a step of the workflow run %s; retry the run ('sluice workflow retry %s')."
            .formatted(job, run, run));
  }
}
