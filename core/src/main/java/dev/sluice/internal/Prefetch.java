package dev.sluice.internal;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * How many jobs to keep in the buffer behind each running one, from how long handlers take.
 *
 * <p>The buffer bridges the round trip to the store, so it is measured in time: enough work for 20
 * ms. A handler of 5 ms gets four jobs behind it, one that does nothing gets a whole batch, and a
 * slow one gets none: a worker with a thread free should have that job. A task that has not been
 * measured, or whose buffered jobs had to be handed back because a handler took unexpectedly long,
 * gets none until the next measurement, so that jobs do not travel to and fro. Thread-safe.
 */
final class Prefetch {
  static final Duration BUFFERED_WORK = Duration.ofMillis(20);
  static final Duration TOO_SLOW = Duration.ofMillis(100);
  static final int DEEPEST = DemandPlanner.LARGEST_BATCH - 1;

  /** One measurement counts for at most this much, so that an outlier is soon forgotten. */
  private static final double LONGEST_SAMPLE = 5.0 * TOO_SLOW.toNanos();

  /**
   * The weight of a new measurement. Shorter ones count more: the first runs of a handler are slow
   * while its classes load, and a depth that turns out too large costs no more than a hand-back.
   */
  private static final double WEIGHT_IF_LONGER = 0.2;

  private static final double WEIGHT_IF_SHORTER = 0.5;

  private record Measured(double nanos, boolean paused) {}

  private final Map<String, Measured> durations = new ConcurrentHashMap<>();

  /** The depth for handlers that take so many nanoseconds. */
  static int depthFor(double nanos) {
    if (nanos >= TOO_SLOW.toNanos()) {
      return 0;
    }
    double depth = Math.ceil(BUFFERED_WORK.toNanos() / Math.max(nanos, 1));
    return (int) Math.min(Math.max(depth, 1), DEEPEST);
  }

  /** Notes how long a handler of the task ran. */
  void measured(String task, long nanos) {
    double sample = Math.min(nanos, LONGEST_SAMPLE);
    durations.merge(
        task,
        new Measured(sample, false),
        (old, latest) -> {
          double weight = sample > old.nanos ? WEIGHT_IF_LONGER : WEIGHT_IF_SHORTER;
          return new Measured(old.nanos + weight * (sample - old.nanos), false);
        });
  }

  /** Buffers nothing of the task until a handler of it has been measured again. */
  void pause(String task) {
    durations.computeIfPresent(task, (name, old) -> new Measured(old.nanos, true));
  }

  int depth(String task) {
    Measured measured = durations.get(task);
    return measured == null || measured.paused ? 0 : depthFor(measured.nanos);
  }
}
