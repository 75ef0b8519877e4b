package dev.sluice.tracing;

import dev.sluice.JobContext;
import dev.sluice.Submission;
import dev.sluice.spi.Tracing;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import java.util.Optional;

/**
 * Traces jobs with OpenTelemetry. A submit is a span {@code submit TASK} in the trace of whoever
 * submits; each attempt is a span {@code run TASK} at the head of a trace of its own, linked to the
 * submit. It is current while the handler runs, so what the handler does becomes part of it; a job
 * that a handler submits is a child of its run. Thread-safe.
 *
 * <pre>{@code
 * Sluice.open(SluiceOptions.url(url).tracing(SluiceTracing.on(openTelemetry)));
 * }</pre>
 */
public final class SluiceTracing implements Tracing {
  static final String SCOPE = "dev.sluice";
  static final AttributeKey<String> TASK = AttributeKey.stringKey("sluice.task");
  static final AttributeKey<String> QUEUE = AttributeKey.stringKey("sluice.queue");
  static final AttributeKey<String> JOB = AttributeKey.stringKey("sluice.job.id");
  static final AttributeKey<String> WORKER = AttributeKey.stringKey("sluice.worker.id");
  static final AttributeKey<Long> ATTEMPT = AttributeKey.longKey("sluice.attempt");
  static final AttributeKey<String> OUTCOME = AttributeKey.stringKey("sluice.outcome");
  static final AttributeKey<String> GROUP = AttributeKey.stringKey("sluice.group");

  static final AttributeKey<Long> LIMIT = AttributeKey.longKey("sluice.limit");
  static final AttributeKey<Long> COUNT = AttributeKey.longKey("sluice.count");

  private final Tracer tracer;

  private SluiceTracing(Tracer tracer) {
    this.tracer = tracer;
  }

  /** Traces with this. */
  public static SluiceTracing on(OpenTelemetry openTelemetry) {
    return new SluiceTracing(openTelemetry.getTracer(SCOPE));
  }

  @Override
  public Submitting submitting(String task, String queue) {
    Span span =
        tracer
            .spanBuilder("submit " + task)
            .setSpanKind(SpanKind.PRODUCER)
            .setAttribute(TASK, task)
            .setAttribute(QUEUE, queue)
            .startSpan();
    return new SubmitSpan(span);
  }

  private record SubmitSpan(Span span) implements Submitting {
    @Override
    public Optional<String> trace() {
      return TraceText.of(span);
    }

    @Override
    public void answered(Submission submission) {
      if (submission instanceof Submission.Submitted submitted) {
        span.setAttribute(OUTCOME, "submitted").setAttribute(JOB, submitted.id().toString());
      } else if (submission instanceof Submission.Duplicate duplicate) {
        span.setAttribute(OUTCOME, "duplicate").setAttribute(JOB, duplicate.id().toString());
      } else if (submission instanceof Submission.Rejected rejected) {
        // Not an error status: the caller asked to be refused when the group is full.
        span.setAttribute(OUTCOME, Submission.Rejected.REASON)
            .setAttribute(GROUP, rejected.group().toString())
            .addEvent(
                Submission.Rejected.REASON,
                Attributes.of(
                    GROUP,
                    rejected.group().toString(),
                    LIMIT,
                    (long) rejected.limit(),
                    COUNT,
                    (long) rejected.count()));
      }
      span.end();
    }

    @Override
    public void failed(Throwable failure) {
      recordFailure(span, failure);
      span.end();
    }
  }

  @Override
  public Running running(JobContext job, Optional<String> trace) {
    SpanBuilder builder =
        tracer
            .spanBuilder("run " + job.task())
            .setSpanKind(SpanKind.CONSUMER)
            .setNoParent()
            .setAttribute(TASK, job.task())
            .setAttribute(JOB, job.jobId().toString())
            .setAttribute(WORKER, job.workerId())
            .setAttribute(ATTEMPT, (long) job.attempt());
    trace.flatMap(TraceText::read).ifPresent(builder::addLink);
    Span span = builder.startSpan();
    // Not of the current context: an earlier handler of this thread may have left one open.
    Scope scope = Context.root().with(span).makeCurrent();
    return (verdict, failure) -> {
      try (scope) {
        span.setAttribute(OUTCOME, verdict);
        if (failure != null && (verdict.equals("failed") || verdict.equals("retried"))) {
          recordFailure(span, failure);
        }
      } finally {
        span.end();
      }
    };
  }

  private static void recordFailure(Span span, Throwable failure) {
    span.recordException(failure);
    String message = failure.getMessage();
    span.setStatus(StatusCode.ERROR, message == null ? failure.getClass().getName() : message);
  }
}
