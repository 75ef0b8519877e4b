package dev.sluice.metrics;

import dev.sluice.WorkerBulletin.Load;
import dev.sluice.WorkerInfo;
import dev.sluice.Workers;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.ToIntFunction;

/** All workers together, as they said last. */
final class WorkerGauges implements StoreGauges.Sample {
  private final Workers workers;
  private final Clock clock;
  private final GaugeRows alive;
  private final GaugeRows running;
  private final GaugeRows concurrency;
  private final GaugeRows buffered;
  private Duration ahead = Duration.ZERO;
  private List<WorkerInfo> latest = List.of();

  WorkerGauges(MeterRegistry registry, Workers workers, Clock clock) {
    this.workers = workers;
    this.clock = clock;
    alive = new GaugeRows(registry, "sluice.worker.alive", "Workers whose lease has not expired");
    running = new GaugeRows(registry, "sluice.worker.running", "Handlers at work, of all workers");
    concurrency =
        new GaugeRows(
            registry, "sluice.worker.concurrency", "Handlers that may be at work, of all workers");
    buffered =
        new GaugeRows(
            registry,
            "sluice.worker.buffered",
            "Claimed jobs that have not started, of all workers");
  }

  @Override
  public void take() {
    List<WorkerInfo> all = workers.list();
    latest = all;
    List<WorkerInfo> live = all.stream().filter(worker -> worker.lease().alive()).toList();
    if (!all.isEmpty()) {
      ahead = Duration.between(clock.instant(), all.get(0).lease().readAt());
    }
    alive.show(live.size());
    running.show(sum(live, Load::running));
    concurrency.show(sum(live, Load::concurrency));
    buffered.show(sum(live, Load::buffered));
  }

  /** The workers as they were last read. */
  List<WorkerInfo> latest() {
    return latest;
  }

  /** What time it is by the store's clock, as far as a worker on record has shown. */
  Instant storeTime() {
    return clock.instant().plus(ahead);
  }

  private static int sum(List<WorkerInfo> workers, ToIntFunction<Load> part) {
    return workers.stream()
        .flatMap(worker -> worker.bulletin().stream())
        .mapToInt(bulletin -> part.applyAsInt(bulletin.load()))
        .sum();
  }

  @Override
  public void clear() {
    List.of(alive, running, concurrency, buffered).forEach(GaugeRows::clear);
  }
}
