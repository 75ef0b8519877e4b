package dev.sluice.tracing;

import static io.opentelemetry.api.common.AttributeKey.longKey;
import static io.opentelemetry.api.common.AttributeKey.stringKey;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.sluice.OnLimit;
import dev.sluice.RetryPolicy;
import dev.sluice.Sluice;
import dev.sluice.SluiceOptions;
import dev.sluice.Task;
import dev.sluice.Worker;
import dev.sluice.embedded.EmbeddedPostgres;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.ContextKey;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Traces of real jobs, on real stores. */
class TracedJobsIT {
  private static final EmbeddedPostgres SERVER =
      EmbeddedPostgres.join(Path.of("target", "test-postgres").toAbsolutePath());

  private static final Task<String> OUTER =
      Task.named("outer", String.class)
          .retry(RetryPolicy.exponential().firstDelay(Duration.ofMillis(1)).maxAttempts(2).build())
          .build();
  private static final Task<String> INNER = Task.named("inner", String.class).build();

  private final InMemorySpanExporter exporter = InMemorySpanExporter.create();
  private final OpenTelemetrySdk telemetry =
      OpenTelemetrySdk.builder()
          .setTracerProvider(
              SdkTracerProvider.builder()
                  .addSpanProcessor(SimpleSpanProcessor.create(exporter))
                  .build())
          .build();

  static Stream<Supplier<SluiceOptions>> stores() {
    String id = UUID.randomUUID().toString();
    return Stream.of(
        () -> SluiceOptions.url("memory:" + id),
        () ->
            SluiceOptions.url("embedded:" + SERVER.dataDirectory())
                .schema("traces_" + id.replace('-', '_')));
  }

  private List<SpanData> spans(String name) {
    return exporter.getFinishedSpanItems().stream()
        .filter(span -> span.getName().equals(name))
        .sorted(Comparator.comparingLong(SpanData::getStartEpochNanos))
        .toList();
  }

  /** Threads are used again: what a handler forgot to close was found by the next one. */
  @Test
  void run_handlerBeforeLeftAContextOpen_startsFromNone() {
    ContextKey<String> left = ContextKey.named("left");
    List<String> seen = new CopyOnWriteArrayList<>();
    try (OpenTelemetrySdk closed = telemetry;
        Sluice sluice =
            Sluice.open(
                SluiceOptions.url("memory:" + UUID.randomUUID())
                    .tracing(SluiceTracing.on(closed)));
        Worker worker =
            sluice
                .worker()
                .concurrency(1)
                .handle(
                    INNER,
                    (payload, context) -> {
                      seen.add(String.valueOf(Context.current().get(left)));
                      Context.current().with(left, payload).makeCurrent();
                    })
                .start()) {
      sluice.submitAll(INNER, List.of("a", "b", "c", "d"));
      Awaitility.await()
          .atMost(Duration.ofSeconds(30))
          .untilAsserted(() -> assertThat(spans("run inner")).hasSize(4));
    }
    assertThat(seen).containsExactly("null", "null", "null", "null");
  }

  @ParameterizedTest
  @MethodSource("stores")
  void submit_groupFullAndReject_spanSaysSoAndIsNoError(Supplier<SluiceOptions> options) {
    try (OpenTelemetrySdk closed = telemetry;
        Sluice sluice = Sluice.open(options.get().tracing(SluiceTracing.on(closed)))) {
      for (int i = 0; i < 2; i++) {
        sluice.submit(
            INNER, "x", o -> o.concurrencyGroup("api").concurrencyLimit(1).onLimit(OnLimit.REJECT));
      }
      assertThat(spans("submit inner"))
          .extracting(
              span -> span.getAttributes().get(stringKey("sluice.outcome")),
              span -> span.getAttributes().get(stringKey("sluice.group")),
              span -> span.getStatus().getStatusCode())
          .containsExactly(
              tuple("submitted", null, StatusCode.UNSET),
              tuple("ConcurrencyLimitReached", "api", StatusCode.UNSET));
    }
  }

  @ParameterizedTest
  @MethodSource("stores")
  void submitAndRun_areLinkedSpans(Supplier<SluiceOptions> options) {
    try (OpenTelemetrySdk closed = telemetry;
        Sluice sluice = Sluice.open(options.get().tracing(SluiceTracing.on(closed)));
        Worker worker =
            sluice
                .worker()
                .poll(Duration.ofMillis(50))
                .handle(
                    OUTER,
                    (payload, context) -> {
                      Span.current().setAttribute("seen", context.jobId().toString());
                      if (context.attempt() == 1) {
                        throw new IllegalStateException("not yet");
                      }
                      sluice.submit(INNER, payload);
                    })
                .handle(INNER, (payload, context) -> {})
                .start()) {
      UUID job = sluice.submit(OUTER, "x").id();
      Awaitility.await()
          .atMost(Duration.ofSeconds(30))
          .untilAsserted(() -> assertThat(spans("run inner")).hasSize(1));

      SpanData submit = spans("submit outer").get(0);
      List<SpanData> runs = spans("run outer");
      assertThat(runs).hasSize(2);
      for (SpanData run : runs) {
        assertThat(run.getKind()).isEqualTo(SpanKind.CONSUMER);
        assertThat(run.getParentSpanContext().isValid()).isFalse();
        assertThat(run.getTraceId()).isNotEqualTo(submit.getTraceId());
        assertThat(run.getLinks())
            .singleElement()
            .satisfies(
                link -> {
                  assertThat(link.getSpanContext().getTraceId()).isEqualTo(submit.getTraceId());
                  assertThat(link.getSpanContext().getSpanId()).isEqualTo(submit.getSpanId());
                });
        assertThat(run.getAttributes().get(stringKey("sluice.job.id"))).isEqualTo(job.toString());
        assertThat(run.getAttributes().get(stringKey("seen"))).isEqualTo(job.toString());
      }
      SpanData failed = runs.get(0);
      assertThat(failed.getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
      assertThat(failed.getEvents()).hasSize(1);
      assertThat(failed.getAttributes().get(stringKey("sluice.outcome"))).isEqualTo("retried");
      assertThat(failed.getAttributes().get(longKey("sluice.attempt"))).isEqualTo(1);
      SpanData second = runs.get(1);
      assertThat(second.getAttributes().get(stringKey("sluice.outcome"))).isEqualTo("succeeded");
      assertThat(second.getAttributes().get(longKey("sluice.attempt"))).isEqualTo(2);
      SpanData inner = spans("submit inner").get(0);
      assertThat(inner.getParentSpanId()).as("submitted by the run").isEqualTo(second.getSpanId());
      assertThat(spans("run inner").get(0).getLinks().get(0).getSpanContext().getSpanId())
          .isEqualTo(inner.getSpanId());
    }
  }
}
