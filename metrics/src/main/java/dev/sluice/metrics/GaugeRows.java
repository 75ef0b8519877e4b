package dev.sluice.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.MultiGauge.Row;
import io.micrometer.core.instrument.Tags;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A gauge with any number of series. A series stays registered as long as it is shown, and only its
 * value changes: a scrape that comes meanwhile finds each of them once.
 */
final class GaugeRows {
  private final MultiGauge gauge;
  private final Map<Tags, AtomicReference<Double>> shown = new HashMap<>();

  GaugeRows(MeterRegistry registry, String name, String description, String unit) {
    gauge = MultiGauge.builder(name).description(description).baseUnit(unit).register(registry);
  }

  /** A gauge of plain numbers. */
  GaugeRows(MeterRegistry registry, String name, String description) {
    this(registry, name, description, null);
  }

  /** Shows these and no others. */
  synchronized void show(Map<Tags, Double> values) {
    shown.keySet().retainAll(values.keySet());
    values.forEach(
        (tags, value) -> shown.computeIfAbsent(tags, added -> new AtomicReference<>()).set(value));
    gauge.register(
        shown.entrySet().stream()
            .<Row<?>>map(row -> Row.of(row.getKey(), row.getValue(), AtomicReference::get))
            .toList(),
        false);
  }

  void show(double value) {
    show(Map.of(Tags.empty(), value));
  }

  void clear() {
    show(Map.of());
  }
}
