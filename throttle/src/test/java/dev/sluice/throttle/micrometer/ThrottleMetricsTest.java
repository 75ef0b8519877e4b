package dev.sluice.throttle.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.throttle.Retry;
import dev.sluice.throttle.Throttle;
import dev.sluice.throttle.Timing;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ThrottleMetricsTest {
  private final MeterRegistry registry = new SimpleMeterRegistry();
  private final Throttle one = Throttle.of("one", 1);

  @Test
  void gauges_ofALabel_moveWhenACallerStartsToWait() throws InterruptedException {
    new ThrottleMetrics(List.of(one)).bindTo(registry);
    Throttle.Permit holder = one.acquire("work");
    CompletableFuture<String> waiting = one.runAsync("work", () -> "done");
    assertThat(gauge("in_flight")).isEqualTo(1);
    assertThat(gauge("queue_depth")).isEqualTo(1);
    assertThat(registry.get("throttle.limit").tag("throttle", "one").gauge().value()).isEqualTo(1);
    holder.close();
    waiting.join();
    assertThat(gauge("queue_depth")).isZero();
    assertThat(counter("success")).isEqualTo(2);
    assertThat(timer("wait").count()).isEqualTo(2);
  }

  @Test
  void meters_ofALabelThatWasThereBefore_areThereToo() throws InterruptedException {
    Throttle.Permit before = one.acquire("work");
    new ThrottleMetrics(List.of(one)).bindTo(registry);
    assertThat(gauge("in_flight")).isEqualTo(1);
    before.close();
    assertThat(gauge("in_flight")).isZero();
    assertThat(timer("latency").count()).isEqualTo(1);
  }

  @Test
  void latency_ofFailures_isInTheHistogramToo() {
    new ThrottleMetrics(List.of(one)).bindTo(registry);
    assertThatThrownBy(
        () ->
            one.run(
                "work",
                () -> {
                  TimeUnit.MILLISECONDS.sleep(3);
                  throw new IOException();
                }));
    assertThat(counter("failure")).isEqualTo(1);
    Timer latency = timer("latency");
    assertThat(latency.totalTime(TimeUnit.MILLISECONDS)).isGreaterThanOrEqualTo(3);
    assertThat(latency.takeSnapshot().histogramCounts()).hasSize(Timing.BOUNDS.size());
    assertThat(latency.takeSnapshot().histogramCounts()[0].count()).as("at most 1 ms").isZero();
  }

  @Test
  void retries_areCounted() throws Exception {
    Retry retry = Retry.builder().attempts(2).baseDelay(Duration.ofMillis(1)).build();
    new RetryMetrics("test", retry).bindTo(registry);
    assertThatThrownBy(
        () ->
            retry.run(
                "work",
                () -> {
                  throw new IOException();
                }));
    assertThat(retries("attempts")).isEqualTo(1);
    assertThat(retries("exhausted")).isEqualTo(1);
    assertThat(retries("success_after_attempt")).isZero();
  }

  private double gauge(String name) {
    return registry
        .get("throttle." + name)
        .tags("throttle", "one", "label", "work")
        .gauge()
        .value();
  }

  private double counter(String name) {
    return registry
        .get("throttle." + name)
        .tags("throttle", "one", "label", "work")
        .functionCounter()
        .count();
  }

  private Timer timer(String name) {
    return registry.get("throttle." + name).tags("throttle", "one", "label", "work").timer();
  }

  private double retries(String name) {
    return registry
        .get("retry." + name)
        .tags("retry", "test", "label", "work")
        .functionCounter()
        .count();
  }
}
