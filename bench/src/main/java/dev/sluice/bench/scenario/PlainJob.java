package dev.sluice.bench.scenario;

import dev.sluice.Group;
import dev.sluice.OnLimit;
import dev.sluice.SubmitOptions;
import dev.sluice.internal.JobIds;
import dev.sluice.spi.NewJob;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * A job with default options, as a store takes it. Stores take jobs of many tasks in one call, the
 * API those of one.
 */
public final class PlainJob {
  private PlainJob() {}

  public static NewJob of(String task, List<Group> groups, int payload) {
    return new NewJob(
        new NewJob.Identity(JobIds.next(), false, Optional.empty()),
        task,
        new NewJob.Place(SubmitOptions.DEFAULT_QUEUE, 0),
        new NewJob.Timing(Optional.empty(), Duration.ZERO, Optional.empty()),
        new NewJob.Concurrency(groups, Optional.empty(), OptionalInt.empty(), OnLimit.WAIT),
        Integer.toString(payload));
  }
}
