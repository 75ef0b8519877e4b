package dev.sluice.internal;

import dev.sluice.WorkerBulletin;
import dev.sluice.WorkerBulletin.TaskTally;
import dev.sluice.WorkerBulletin.Times;
import dev.sluice.spi.JobOutcome;
import dev.sluice.spi.JobOutcome.Cancelled;
import dev.sluice.spi.JobOutcome.Failed;
import dev.sluice.spi.JobOutcome.Retry;
import dev.sluice.spi.JobOutcome.Succeeded;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/**
 * Counts what became of a worker's jobs, by task. The tasks are known from the start, so counting
 * is a look-up and an addition, without a lock. Thread-safe.
 */
final class WorkerTally {
  /** How many tasks have a line of their own. */
  static final int MOST_TASKS = 100;

  /** The weight of the latest attempt in what a recent one took. */
  private static final double WEIGHT = 0.1;

  private static final class Counts {
    final LongAdder started = new LongAdder();
    final LongAdder succeeded = new LongAdder();
    final LongAdder failed = new LongAdder();
    final LongAdder retried = new LongAdder();
    final LongAdder cancelled = new LongAdder();
    final LongAdder nanos = new LongAdder();
    // Written by the exchange loop alone.
    volatile double recent = Double.NaN;
    final RecentAttempts lately;

    Counts(LongSupplier nanoTime) {
      lately = new RecentAttempts(nanoTime);
    }

    TaskTally read() {
      double seconds = nanos.sum() / 1e9;
      return new TaskTally(
          started.sum(),
          succeeded.sum(),
          failed.sum(),
          retried.sum(),
          cancelled.sum(),
          new Times(seconds, Double.isNaN(recent) ? 0 : recent),
          lately.read());
    }
  }

  private final Map<String, Counts> tasks;

  WorkerTally(Collection<String> tasks, LongSupplier nanoTime) {
    Map<String, Counts> counts = new HashMap<>();
    tasks.forEach(task -> counts.put(task, new Counts(nanoTime)));
    this.tasks = Map.copyOf(counts);
  }

  void started(String task) {
    Counts counts = tasks.get(task);
    if (counts != null) {
      counts.started.increment();
    }
  }

  /** An attempt ended, and the store has accepted that. */
  void ended(String task, JobOutcome outcome) {
    Counts counts = tasks.get(task);
    if (counts == null) {
      return;
    }
    if (outcome.verdict() instanceof Succeeded) {
      counts.succeeded.increment();
      counts.lately.add(false);
    } else if (outcome.verdict() instanceof Failed) {
      counts.failed.increment();
      counts.lately.add(true);
    } else if (outcome.verdict() instanceof Retry) {
      counts.retried.increment();
      counts.lately.add(true);
    } else if (outcome.verdict() instanceof Cancelled) {
      counts.cancelled.increment();
    }
    if (!outcome.ran().isZero()) {
      double seconds = outcome.ran().toNanos() / 1e9;
      counts.nanos.add(outcome.ran().toNanos());
      double old = counts.recent;
      counts.recent = Double.isNaN(old) ? seconds : old + WEIGHT * (seconds - old);
    }
  }

  /** The tasks something was done for: the busiest by name, the rest as one. */
  Map<String, TaskTally> read() {
    Map<String, TaskTally> all = new HashMap<>();
    tasks.forEach(
        (task, counts) -> {
          TaskTally tally = counts.read();
          if (tally.started() + tally.failed() + tally.cancelled() > 0) {
            all.put(task, tally);
          }
        });
    Map<String, TaskTally> lines = new LinkedHashMap<>();
    all.entrySet().stream()
        .sorted(
            Map.Entry.<String, TaskTally>comparingByValue(
                    (a, b) -> Long.compare(b.started(), a.started()))
                .thenComparing(Map.Entry.comparingByKey()))
        .forEach(
            line -> {
              boolean named = lines.size() < MOST_TASKS;
              String name = named ? line.getKey() : WorkerBulletin.OTHER;
              lines.merge(name, line.getValue(), WorkerTally::sum);
            });
    return lines;
  }

  private static TaskTally sum(TaskTally a, TaskTally b) {
    long started = a.started() + b.started();
    double recent =
        (a.times().recent() * a.started() + b.times().recent() * b.started())
            / Math.max(1, started);
    return new TaskTally(
        started,
        a.succeeded() + b.succeeded(),
        a.failed() + b.failed(),
        a.retried() + b.retried(),
        a.cancelled() + b.cancelled(),
        new Times(a.times().total() + b.times().total(), recent),
        a.lately().plus(b.lately()));
  }
}
