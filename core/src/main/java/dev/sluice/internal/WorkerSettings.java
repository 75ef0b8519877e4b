package dev.sluice.internal;

import dev.sluice.WorkerListener;
import dev.sluice.spi.Tracing;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/** What a worker was told by its builder, checked. */
public record WorkerSettings(
    String name,
    Set<String> queues,
    int concurrency,
    Map<String, Integer> localLimits,
    Timing timing,
    Reporting reporting) {

  /** The durations of a worker. */
  public record Timing(Duration lease, Duration grace, Duration poll, Duration retention) {}

  /**
   * Who is told what.
   *
   * @param listeners hear what the worker does
   * @param tracing follows its jobs
   * @param notices what the program adds to the worker's bulletins, by name
   * @param refusals what the worker's bulletins count besides what the worker does
   */
  public record Reporting(
      List<WorkerListener> listeners,
      Tracing tracing,
      Map<String, Supplier<?>> notices,
      CallerRefusals refusals) {
    /** Of a worker that counts for no callers. */
    public Reporting(
        List<WorkerListener> listeners, Tracing tracing, Map<String, Supplier<?>> notices) {
      this(listeners, tracing, notices, new CallerRefusals());
    }
  }
}
