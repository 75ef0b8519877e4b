package dev.sluice.metrics;

import dev.sluice.WorkerBulletin;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.List;

/** Makes counters and timers with their names, descriptions and classes. */
final class Meters {
  /** How long handlers and claims take: from a millisecond to an hour. */
  private static final List<Double> DURATION_BOUNDS =
      List.of(
          0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0,
          300.0, 1800.0, 3600.0);

  private final MeterRegistry registry;

  Meters(MeterRegistry registry) {
    this.registry = registry;
  }

  Counter counter(String name, String description, Tags tags) {
    return Counter.builder(name).description(description).tags(tags).register(registry);
  }

  Timer waits(String name, String description, Tags tags) {
    return timer(name, description, tags, WorkerBulletin.WAIT_BOUNDS);
  }

  Timer durations(String name, String description, Tags tags) {
    return timer(name, description, tags, DURATION_BOUNDS);
  }

  private Timer timer(String name, String description, Tags tags, List<Double> bounds) {
    Duration[] classes =
        bounds.stream()
            .map(seconds -> Duration.ofNanos(Math.round(seconds * 1e9)))
            .toArray(Duration[]::new);
    return Timer.builder(name)
        .description(description)
        .tags(tags)
        .serviceLevelObjectives(classes)
        .register(registry);
  }
}
