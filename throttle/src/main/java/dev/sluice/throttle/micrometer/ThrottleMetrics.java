package dev.sluice.throttle.micrometer;

import dev.sluice.throttle.LabelStats;
import dev.sluice.throttle.Throttle;
import dev.sluice.throttle.ThrottleListener;
import dev.sluice.throttle.Timing;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.ToDoubleFunction;

/**
 * The figures of throttles as meters, by {@code throttle} and {@code label}: the gauges {@code
 * throttle.in_flight} and {@code throttle.queue_depth}, which move when a caller starts to wait and
 * not after; {@code throttle.limit}; the counters {@code throttle.success}, {@code
 * throttle.failure} and {@code throttle.refused}; and, as timers with a histogram, {@code
 * throttle.latency} and {@code throttle.wait}. Times before the binding are not in the timers.
 *
 * <pre>{@code
 * new ThrottleMetrics(throttles.all()).bindTo(registry);
 * }</pre>
 */
public final class ThrottleMetrics implements MeterBinder {
  private final List<Throttle> throttles;

  /** Those of these throttles, whose names differ. */
  public ThrottleMetrics(Collection<Throttle> throttles) {
    this.throttles = List.copyOf(throttles);
  }

  @Override
  public void bindTo(MeterRegistry registry) {
    for (Throttle throttle : throttles) {
      Gauge.builder("throttle.limit", throttle, Throttle::limit)
          .description("How much may be inside at once")
          .tag("throttle", throttle.name())
          .strongReference(true)
          .register(registry);
      throttle.addListener(new Recorder(registry));
    }
  }

  /** Meters for each label of a throttle as it comes up. */
  private static final class Recorder implements ThrottleListener {
    private static final Duration[] BOUNDS = Timing.BOUNDS.toArray(Duration[]::new);

    private final MeterRegistry registry;
    private final Map<String, Timers> timers = new ConcurrentHashMap<>();

    /** Kept, because to look them up in the registry takes longer than to record. */
    private record Timers(Timer latency, Timer waitTime) {}

    Recorder(MeterRegistry registry) {
      this.registry = registry;
    }

    @Override
    public void onLabel(Throttle throttle, String label) {
      gauge(throttle, label, "in_flight", "Inside now", LabelStats::inFlight);
      gauge(throttle, label, "queue_depth", "Waiting now", LabelStats::queueDepth);
      counter(throttle, label, "success", "Ended well", LabelStats::successTotal);
      counter(throttle, label, "failure", "Ended with an exception", LabelStats::failureTotal);
      counter(throttle, label, "refused", "Never started", LabelStats::refusedTotal);
      timers(throttle, label);
    }

    @Override
    public void onStart(Throttle throttle, String label, Duration waited) {
      timers(throttle, label).waitTime.record(waited);
    }

    @Override
    public void onEnd(Throttle throttle, String label, Duration ran, boolean succeeded) {
      timers(throttle, label).latency.record(ran);
    }

    private Timers timers(Throttle throttle, String label) {
      Timers known = timers.get(label);
      return known != null
          ? known
          : timers.computeIfAbsent(
              label,
              any ->
                  new Timers(
                      timer(throttle, label, "latency", "From start to end, without the wait"),
                      timer(throttle, label, "wait", "From arrival to start")));
    }

    private void gauge(
        Throttle throttle,
        String label,
        String name,
        String description,
        ToDoubleFunction<LabelStats> value) {
      Gauge.builder("throttle." + name, throttle, each -> value.applyAsDouble(each.stats(label)))
          .description(description)
          .tags(tags(throttle, label))
          .strongReference(true)
          .register(registry);
    }

    private void counter(
        Throttle throttle,
        String label,
        String name,
        String description,
        ToDoubleFunction<LabelStats> value) {
      FunctionCounter.builder(
              "throttle." + name, throttle, each -> value.applyAsDouble(each.stats(label)))
          .description(description)
          .tags(tags(throttle, label))
          .register(registry);
    }

    private Timer timer(Throttle throttle, String label, String name, String description) {
      return Timer.builder("throttle." + name)
          .description(description)
          .tags(tags(throttle, label))
          .serviceLevelObjectives(BOUNDS)
          .register(registry);
    }

    private static Tags tags(Throttle throttle, String label) {
      return Tags.of("throttle", throttle.name(), "label", label);
    }
  }
}
