package dev.sluice.bench.scenario;

import dev.sluice.JobContext;
import dev.sluice.WorkerListener;
import java.time.Duration;

/** Hears of every job of a team and tells the stopwatch of the batch it is at. Thread-safe. */
final class BatchClock implements WorkerListener {
  private volatile Stopwatch stopwatch;

  /** Has the batch timed that comes next; the one before is over. */
  Stopwatch next(Setting batch) {
    stopwatch = new Stopwatch(batch);
    return stopwatch;
  }

  @Override
  public void onStart(JobContext job) {
    stopwatch.onStart(job);
  }

  @Override
  public void onSuccess(JobContext job, Duration took) {
    stopwatch.onSuccess(job, took);
  }
}
