package dev.sluice.metrics;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.HashMap;
import java.util.Map;

/**
 * A gauge with any number of series. A series stays registered as long as it is shown, and only its
 * value changes: a scrape that comes meanwhile finds each of them once.
 */
final class GaugeRows {
  private final MeterRegistry registry;
  private final String name;
  private final String description;
  private final String unit;
  private final Map<Tags, Row> rows = new HashMap<>();

  private static final class Row {
    volatile double value;
    Gauge gauge;
  }

  GaugeRows(MeterRegistry registry, String name, String description, String unit) {
    this.registry = registry;
    this.name = name;
    this.description = description;
    this.unit = unit;
  }

  /** A gauge of plain numbers. */
  GaugeRows(MeterRegistry registry, String name, String description) {
    this(registry, name, description, null);
  }

  /** Shows these and no others. */
  synchronized void show(Map<Tags, Double> values) {
    values.forEach(this::show);
    rows.entrySet().removeIf(row -> !values.containsKey(row.getKey()) && remove(row.getValue()));
  }

  void show(double value) {
    show(Map.of(Tags.empty(), value));
  }

  void clear() {
    show(Map.of());
  }

  private void show(Tags tags, double value) {
    Row row = rows.get(tags);
    if (row != null) {
      row.value = value;
      return;
    }
    Row added = new Row();
    added.value = value;
    added.gauge =
        Gauge.builder(name, () -> added.value)
            .description(description)
            .baseUnit(unit)
            .tags(tags)
            .register(registry);
    rows.put(tags, added);
  }

  private boolean remove(Row row) {
    registry.remove(row.gauge);
    return true;
  }
}
