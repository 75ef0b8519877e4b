package dev.sluice.metrics;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * Meters by label, for a bounded number of labels; kept, because to look them up in the registry
 * takes longer than to count. Thread-safe.
 *
 * @param <M> the meters of one label
 */
final class Labelled<M> {
  private final Function<String, M> maker;
  private final BoundedLabels labels;
  private final Map<String, M> meters = new ConcurrentHashMap<>();

  Labelled(
      MeterRegistry registry, int most, Function<String, M> maker, Function<M, List<Meter>> all) {
    this.maker = maker;
    this.labels =
        new BoundedLabels(
            most,
            dropped -> {
              M gone = meters.remove(dropped);
              if (gone != null) {
                all.apply(gone).forEach(registry::remove);
              }
            },
            System::nanoTime);
  }

  /** Those of this name, or those of all others. */
  M of(String name) {
    String label = labels.of(name);
    M known = meters.get(label);
    return known != null
        ? known
        : labels.whileNamed(label, still -> meters.computeIfAbsent(still, maker));
  }
}
