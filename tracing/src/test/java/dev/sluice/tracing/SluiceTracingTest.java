package dev.sluice.tracing;

import static io.opentelemetry.api.common.AttributeKey.longKey;
import static io.opentelemetry.api.common.AttributeKey.stringKey;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Group;
import dev.sluice.Submission;
import dev.sluice.spi.Tracing;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.context.Scope;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SluiceTracingTest {
  private final InMemorySpanExporter exporter = InMemorySpanExporter.create();
  private final OpenTelemetrySdk telemetry =
      OpenTelemetrySdk.builder()
          .setTracerProvider(
              SdkTracerProvider.builder()
                  .addSpanProcessor(SimpleSpanProcessor.create(exporter))
                  .build())
          .build();
  private final Tracing tracing = SluiceTracing.on(telemetry);

  @AfterEach
  void close() {
    telemetry.close();
  }

  private SpanData only() {
    assertThat(exporter.getFinishedSpanItems()).hasSize(1);
    return exporter.getFinishedSpanItems().get(0);
  }

  @Test
  void submitting_accepted_isAProducerSpanOfTheCallersTrace() {
    Span caller = telemetry.getTracer("test").spanBuilder("request").startSpan();
    UUID job = UUID.randomUUID();
    String trace;
    try (Scope scope = caller.makeCurrent()) {
      Tracing.Submitting submitting = tracing.submitting("send_email", "mail");
      trace = submitting.trace().orElseThrow();
      submitting.answered(new Submission.Submitted(job));
    }

    SpanData span = only();
    assertThat(span.getName()).isEqualTo("submit send_email");
    assertThat(span.getKind()).isEqualTo(SpanKind.PRODUCER);
    assertThat(span.getTraceId()).isEqualTo(caller.getSpanContext().getTraceId());
    assertThat(span.getParentSpanId()).isEqualTo(caller.getSpanContext().getSpanId());
    assertThat(span.getAttributes().get(stringKey("sluice.queue"))).isEqualTo("mail");
    assertThat(span.getAttributes().get(stringKey("sluice.job.id"))).isEqualTo(job.toString());
    assertThat(span.getAttributes().get(stringKey("sluice.outcome"))).isEqualTo("submitted");
    assertThat(trace).startsWith("00-%s-%s-".formatted(span.getTraceId(), span.getSpanId()));
  }

  @Test
  void submitting_rejected_saysSoWithoutBeingAnError() {
    Tracing.Submitting submitting = tracing.submitting("t", "default");
    submitting.answered(new Submission.Rejected(Group.of("g"), 1, 2));

    SpanData span = only();
    assertThat(span.getAttributes().get(stringKey("sluice.outcome")))
        .isEqualTo("ConcurrencyLimitReached");
    assertThat(span.getAttributes().get(stringKey("sluice.group"))).isEqualTo("g");
    assertThat(span.getEvents())
        .singleElement()
        .satisfies(
            event -> {
              assertThat(event.getName()).isEqualTo("ConcurrencyLimitReached");
              assertThat(event.getAttributes().asMap())
                  .containsEntry(stringKey("sluice.group"), "g")
                  .containsEntry(longKey("sluice.limit"), 1L)
                  .containsEntry(longKey("sluice.count"), 2L);
            });
    assertThat(span.getStatus().getStatusCode()).isEqualTo(StatusCode.UNSET);
  }

  @Test
  void submitting_storeFails_isAnError() {
    tracing.submitting("t", "default").failed(new IllegalStateException("gone"));

    SpanData span = only();
    assertThat(span.getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
    assertThat(span.getEvents()).hasSize(1);
  }

  @Test
  void submitting_nobodyTraces_carriesNothing() {
    Tracing untraced = SluiceTracing.on(OpenTelemetry.noop());

    assertThat(untraced.submitting("t", "default").trace()).isEmpty();
  }
}
