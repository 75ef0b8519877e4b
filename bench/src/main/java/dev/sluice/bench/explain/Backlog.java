package dev.sluice.bench.explain;

import dev.sluice.OnLimit;
import dev.sluice.SubmitOptions;
import dev.sluice.internal.JobIds;
import dev.sluice.spi.JobStore;
import dev.sluice.spi.NewJob;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.LongConsumer;

/** Jobs that wait, of all tasks by turns. */
final class Backlog {
  private static final int BATCH = 1_000;

  private Backlog() {}

  /** Submits so many jobs, and tells now and then how many are done. */
  static void submit(JobStore store, int jobs, LongConsumer progress) {
    List<NewJob> batch = new ArrayList<>();
    for (int i = 0; i < jobs; i++) {
      batch.add(job(SetUp.TASKS.get(i % SetUp.TASKS.size()), i));
      if (batch.size() == BATCH || i == jobs - 1) {
        store.submit(batch);
        batch.clear();
        progress.accept(i + 1);
      }
    }
  }

  private static NewJob job(String task, int number) {
    return new NewJob(
        new NewJob.Identity(JobIds.next(), false, Optional.empty()),
        task,
        new NewJob.Place(SubmitOptions.DEFAULT_QUEUE, 0),
        new NewJob.Timing(Optional.empty(), Duration.ZERO, Optional.empty()),
        new NewJob.Concurrency(List.of(), Optional.empty(), OptionalInt.empty(), OnLimit.WAIT),
        Integer.toString(number));
  }
}
