package dev.sluice.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A gauge with any number of series, all of them replaced at once. */
final class GaugeRows {
  private final MultiGauge gauge;

  GaugeRows(MeterRegistry registry, String name, String description, String unit) {
    gauge = MultiGauge.builder(name).description(description).baseUnit(unit).register(registry);
  }

  /** A gauge of plain numbers. */
  GaugeRows(MeterRegistry registry, String name, String description) {
    this(registry, name, description, null);
  }

  void show(Map<Tags, Double> values) {
    Map<Tags, Double> copy = new LinkedHashMap<>(values);
    gauge.register(
        copy.entrySet().stream()
            .<MultiGauge.Row<?>>map(row -> MultiGauge.Row.of(row.getKey(), row.getValue()))
            .toList(),
        true);
  }

  void show(double value) {
    show(Map.of(Tags.empty(), value));
  }

  void clear() {
    gauge.register(List.of(), true);
  }
}
