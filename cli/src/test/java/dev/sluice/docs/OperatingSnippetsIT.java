package dev.sluice.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.ConcurrencyLimits;
import dev.sluice.Group;
import dev.sluice.LimitChange;
import dev.sluice.Sluice;
import dev.sluice.SluiceOptions;
import dev.sluice.Task;
import dev.sluice.Why;
import dev.sluice.Worker;
import dev.sluice.WorkerInfo;
import dev.sluice.metrics.SluiceMetrics;
import dev.sluice.metrics.StoreGauges;
import dev.sluice.server.MetricsServer;
import dev.sluice.server.SluiceServer;
import dev.sluice.throttle.Throttles;
import dev.sluice.tracing.SluiceTracing;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.opentelemetry.api.OpenTelemetry;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** The Java of the pages about operating, between markers. {@link DocsTest} compares. */
class OperatingSnippetsIT {
  private static final Task<String> RENDER =
      Task.named("render", String.class).maxConcurrent(1).build();

  private final String url = "memory:" + UUID.randomUUID();

  @Test
  void metrics() {
    MeterRegistry registry = new SimpleMeterRegistry();
    // snippet: metrics
    SluiceMetrics metrics = SluiceMetrics.on(registry);
    Sluice sluice = Sluice.open(SluiceOptions.url(url).listener(metrics));
    StoreGauges gauges = metrics.watch(sluice); // slots, queues and workers; close it before sluice
    // end snippet
    try (sluice;
        gauges;
        Worker worker = sluice.worker().handle(RENDER, (text, ctx) -> {}).start()) {
      sluice.submit(RENDER, "a page");
      await()
          .untilAsserted(
              () ->
                  assertThat(registry.get("sluice.jobs.succeeded").counter().count()).isEqualTo(1));
      assertThat(worker.id()).isNotEmpty();
    }
  }

  @Test
  void tracing() {
    OpenTelemetry openTelemetry = OpenTelemetry.noop();
    // snippet: tracing
    Sluice sluice = Sluice.open(SluiceOptions.url(url).tracing(SluiceTracing.on(openTelemetry)));
    // end snippet
    try (sluice) {
      assertThat(sluice.submit(RENDER, "a page")).isNotNull();
    }
  }

  @Test
  void server() throws IOException, InterruptedException {
    try (Sluice sluice = Sluice.open(url)) {
      // snippet: server
      SluiceServer server = SluiceServer.builder(sluice).port(0).start(); // close it before sluice
      String address = server.url();
      // end snippet
      try (server) {
        HttpRequest request = HttpRequest.newBuilder(URI.create(address + "/healthz")).build();
        assertThat(HttpClient.newHttpClient().send(request, BodyHandlers.ofString()).statusCode())
            .isEqualTo(200);
      }
    }
  }

  @Test
  void metricsAlone() throws IOException, InterruptedException {
    PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    registry.counter("pages.rendered").increment();
    // snippet: metrics-server
    MetricsServer metrics =
        MetricsServer.builder(registry).port(0).start(); // /metrics, /healthz and /readyz alone
    // end snippet
    try (metrics) {
      HttpRequest request = HttpRequest.newBuilder(URI.create(metrics.url() + "/metrics")).build();
      assertThat(HttpClient.newHttpClient().send(request, BodyHandlers.ofString()).body())
          .contains("pages_rendered_total 1.0");
    }
  }

  @Test
  void whyAndWho() throws InterruptedException {
    CountDownLatch finish = new CountDownLatch(1);
    Throttles throttles = Throttles.fromEnvironment();
    try (Sluice sluice = Sluice.open(url)) {
      // snippet: notice
      Worker worker =
          sluice
              .worker()
              .handle(RENDER, (text, ctx) -> finish.await())
              .notice("throttles", throttles::figures) // shown with the worker
              .start();
      // end snippet
      try (worker) {
        UUID first = sluice.submit(RENDER, "first").id();
        await().until(() -> sluice.jobs().get(first).orElseThrow().progress().attempt() == 1);
        UUID job = sluice.submit(RENDER, "second").id();
        // snippet: why
        Optional<Why> why = sluice.why(job);
        why.ifPresent(answer -> answer.reasons().forEach(r -> System.out.println(r.sentence())));
        List<WorkerInfo> workers = sluice.workers().list();
        // end snippet
        assertThat(why.orElseThrow().reasons()).isNotEmpty();
        assertThat(workers).hasSize(1);
        // snippet: who
        ConcurrencyLimits limits = sluice.concurrency().as("alice");
        limits.setLimit("render", 5);
        List<LimitChange> log = limits.changes(Optional.of(Group.of("render")), 10);
        // end snippet
        assertThat(log).extracting(LimitChange::by).containsExactly("alice");
        finish.countDown();
      }
    }
  }
}
