package dev.sluice.bench.scenario;

import dev.sluice.JobState;
import dev.sluice.Sluice;
import dev.sluice.SubmitOptions;
import dev.sluice.spi.JobStore;
import dev.sluice.spi.NewJob;
import dev.sluice.spi.StoreProviders;
import dev.sluice.spi.StoreSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * Where the batches of a stage come in: each is submitted to a paused queue, and started when the
 * queue is resumed. At the end the store's own counts must agree that every job has succeeded.
 */
final class Intake implements AutoCloseable {
  private static final String QUEUE = SubmitOptions.DEFAULT_QUEUE;

  private static final StoreSettings STORE = new StoreSettings("sluice", 4);

  /** Of several tasks, so many jobs stand in line before the next one's turn. */
  private static final int MIXED_BY = 10;

  /** As the API does it for jobs of one task. */
  private static final int SUBMITTED_AT_ONCE = 1_000;

  private final Sluice sluice;
  private final JobStore store;

  Intake(String url) {
    sluice = Sluice.open(url);
    store = StoreProviders.open(url, STORE);
  }

  Sluice sluice() {
    return sluice;
  }

  /** Removes what has finished; the counts of what is left. */
  Map<JobState, Long> clear() throws InterruptedException {
    sluice.jobs().purge(Duration.ZERO);
    return Counts.await(sluice, Counts::nothingFinished);
  }

  /** Submits a batch of which no job starts yet, and says how long that took. */
  long submit(Setting batch) {
    sluice.queues().pause(QUEUE);
    int most = batch.lots().stream().mapToInt(Lot::jobs).max().orElseThrow();
    List<NewJob> jobs = new ArrayList<>();
    long began = System.nanoTime();
    for (int from = 0; from < most; from += MIXED_BY) {
      for (Lot lot : batch.lots()) {
        for (int payload = from; payload < Math.min(lot.jobs(), from + MIXED_BY); payload++) {
          jobs.add(lot.job(payload));
          if (jobs.size() == SUBMITTED_AT_ONCE) {
            store.submit(jobs);
            jobs.clear();
          }
        }
      }
    }
    store.submit(jobs);
    return System.nanoTime() - began;
  }

  /** Has what was submitted started. */
  void resume() {
    sluice.queues().resume(QUEUE);
  }

  /**
   * Sees to it that nothing but so many successes has been added.
   *
   * @param before the counts before
   * @throws IllegalStateException if it is otherwise
   */
  void requireSucceeded(Setting setting, Map<JobState, Long> before, long jobs)
      throws InterruptedException {
    Map<JobState, Long> expected = new EnumMap<>(before);
    expected.merge(JobState.SUCCEEDED, jobs, Long::sum);
    Map<JobState, Long> found = Counts.await(sluice, expected::equals);
    if (!expected.equals(found)) {
      throw new IllegalStateException(
          "'%s' should have left %s, but there are %s".formatted(setting.name(), expected, found));
    }
  }

  @Override
  public void close() {
    store.close();
    sluice.close();
  }
}
