package dev.sluice.tracing;

import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import java.util.List;
import org.junit.jupiter.api.Test;

class TraceTextTest {
  private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
  private static final String SPAN = "00f067aa0ba902b7";

  private static Span span(TraceState state) {
    return Span.wrap(SpanContext.create(TRACE, SPAN, TraceFlags.getSampled(), state));
  }

  @Test
  void read_whatWasWritten_isTheSameSpan() {
    TraceState state = TraceState.builder().put("vendor", "blue").build();

    String text = TraceText.of(span(state)).orElseThrow();
    SpanContext read = TraceText.read(text).orElseThrow();

    assertThat(text).isEqualTo("00-" + TRACE + "-" + SPAN + "-01 vendor=blue");
    assertThat(read.getTraceId()).isEqualTo(TRACE);
    assertThat(read.getSpanId()).isEqualTo(SPAN);
    assertThat(read.isSampled()).isTrue();
    assertThat(read.getTraceState().get("vendor")).isEqualTo("blue");
  }

  @Test
  void of_stateTooLong_goesWithoutIt() {
    var state = TraceState.builder();
    for (int i = 0; i < 5; i++) {
      state.put("vendor" + i, "x".repeat(250));
    }

    assertThat(TraceText.of(span(state.build()))).contains("00-" + TRACE + "-" + SPAN + "-01");
  }

  @Test
  void read_notATrace_isNone() {
    for (String text : List.of("", " ", "garbage", "00-zz-zz-01", "00-" + TRACE)) {
      assertThat(TraceText.read(text)).as(text).isEmpty();
    }
  }
}
