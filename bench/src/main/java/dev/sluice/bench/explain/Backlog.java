package dev.sluice.bench.explain;

import dev.sluice.bench.scenario.PlainJob;
import dev.sluice.spi.JobStore;
import dev.sluice.spi.NewJob;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;

/** Jobs that wait, of all tasks by turns. */
final class Backlog {
  private static final int BATCH = 1_000;

  private Backlog() {}

  /** Submits so many jobs, and tells now and then how many are done. */
  static void submit(JobStore store, int jobs, LongConsumer progress) {
    List<NewJob> batch = new ArrayList<>();
    for (int i = 0; i < jobs; i++) {
      batch.add(PlainJob.of(SetUp.TASKS.get(i % SetUp.TASKS.size()), List.of(), i));
      if (batch.size() == BATCH || i == jobs - 1) {
        store.submit(batch);
        batch.clear();
        progress.accept(i + 1);
      }
    }
  }
}
