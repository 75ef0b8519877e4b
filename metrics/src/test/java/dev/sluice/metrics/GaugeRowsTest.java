package dev.sluice.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Tags;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class GaugeRowsTest {
  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

  @Test
  void show_whileMetricsAreScraped_eachScrapeHasTheGaugeOnce() throws Exception {
    GaugeRows gauge = new GaugeRows(registry, "rows", "What there is");
    gauge.show(0);
    AtomicBoolean done = new AtomicBoolean();
    CompletableFuture<Void> showing =
        CompletableFuture.runAsync(
            () -> {
              for (int i = 0; !done.get(); i++) {
                gauge.show(i);
              }
            });
    try {
      for (int i = 0; i < 2_000; i++) {
        assertThat(registry.scrape().lines().filter(line -> line.startsWith("rows"))).hasSize(1);
      }
    } finally {
      done.set(true);
      showing.get();
    }
  }

  @Test
  void show_otherRows_replacesThose() {
    GaugeRows gauge = new GaugeRows(registry, "rows", "What there is");
    gauge.show(Map.of(Tags.of("name", "a"), 1.0, Tags.of("name", "b"), 2.0));
    gauge.show(Map.of(Tags.of("name", "b"), 3.0, Tags.of("name", "c"), 4.0));

    assertThat(registry.scrape().lines().filter(line -> !line.startsWith("#")))
        .containsExactlyInAnyOrder("rows{name=\"b\"} 3.0", "rows{name=\"c\"} 4.0");

    gauge.clear();
    assertThat(registry.scrape()).isEmpty();
  }
}
