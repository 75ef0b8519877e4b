package dev.sluice.internal;

import dev.sluice.WorkerListener;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What a worker was told by its builder, checked. */
public record WorkerSettings(
    String name,
    Set<String> queues,
    int concurrency,
    Map<String, Integer> localLimits,
    Timing timing,
    List<WorkerListener> listeners) {

  /** The durations of a worker. */
  public record Timing(Duration lease, Duration grace, Duration poll, Duration retention) {}
}
