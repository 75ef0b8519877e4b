package dev.sluice.tracing;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.propagation.TextMapGetter;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * A span as text that travels with a job: the W3C headers {@code traceparent} and, after a space,
 * {@code tracestate}, if there is one and it fits.
 */
final class TraceText {
  /** What a store keeps. */
  static final int LONGEST = 1_000;

  private static final String PARENT = "traceparent";
  private static final String STATE = "tracestate";
  private static final W3CTraceContextPropagator PROPAGATOR =
      W3CTraceContextPropagator.getInstance();

  private static final TextMapGetter<Map<String, String>> GETTER =
      new TextMapGetter<>() {
        @Override
        public String get(Map<String, String> headers, String key) {
          return headers == null ? null : headers.get(key);
        }
      };

  private TraceText() {}

  /** Empty if the span is not a valid one: nobody traces. */
  static Optional<String> of(Span span) {
    Map<String, String> headers = new HashMap<>();
    PROPAGATOR.inject(Context.root().with(span), headers, Map::put);
    String parent = headers.get(PARENT);
    if (parent == null) {
      return Optional.empty();
    }
    String state = headers.getOrDefault(STATE, "");
    boolean fits = !state.isEmpty() && parent.length() + 1 + state.length() <= LONGEST;
    return Optional.of(fits ? parent + " " + state : parent);
  }

  /** Empty if the text is not of this form; then the run goes without a link. */
  static Optional<SpanContext> read(String text) {
    int space = text.indexOf(' ');
    Map<String, String> headers = new HashMap<>();
    headers.put(PARENT, space < 0 ? text : text.substring(0, space));
    if (space >= 0) {
      headers.put(STATE, text.substring(space + 1));
    }
    Context context = PROPAGATOR.extract(Context.root(), headers, GETTER);
    return Optional.of(Span.fromContext(context).getSpanContext()).filter(SpanContext::isValid);
  }
}
