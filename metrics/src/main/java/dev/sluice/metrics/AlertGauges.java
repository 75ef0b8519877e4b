package dev.sluice.metrics;

import dev.sluice.Alert;
import dev.sluice.Alert.Kind;
import dev.sluice.AlertThresholds;
import dev.sluice.ConcurrencyLimits;
import dev.sluice.GroupQuery;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** How many alerts of each kind are raised; 0 where none is. */
final class AlertGauges implements StoreGauges.Sample {
  private final WorkerGauges workers;
  private final QueueGauges queues;
  private final ConcurrencyLimits limits;
  private final AlertThresholds thresholds;
  private final GaugeRows alerts;

  /** Looks at the workers and queues that those gauges read last. */
  AlertGauges(
      MeterRegistry registry,
      WorkerGauges workers,
      QueueGauges queues,
      ConcurrencyLimits limits,
      AlertThresholds thresholds) {
    this.workers = workers;
    this.queues = queues;
    this.limits = limits;
    this.thresholds = thresholds;
    alerts =
        new GaugeRows(
            registry, "sluice.alerts", "What keeps jobs from getting done: alerts raised, by kind");
  }

  @Override
  public void take() {
    List<Alert> raised =
        Alert.in(
            new Alert.Observed(
                workers.storeTime(),
                queues.latest(),
                limits.summaries(GroupQuery.HELD.limit(Alert.MOST)).items(),
                workers.latest()),
            thresholds);
    Map<Tags, Double> counts = new LinkedHashMap<>();
    for (Kind kind : Kind.values()) {
      counts.put(
          Tags.of("kind", kind.toString()),
          (double) raised.stream().filter(alert -> alert.kind() == kind).count());
    }
    alerts.show(counts);
  }

  @Override
  public void clear() {
    alerts.clear();
  }
}
