package dev.sluice.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import dev.sluice.JobContext;
import dev.sluice.Submission;
import dev.sluice.spi.Tracing;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class GuardedTracingTest {
  /** Throws wherever it can, or carries more text than allowed. */
  private static final class CarelessTracing implements Tracing {
    @Override
    public Submitting submitting(String task, String queue) {
      return new Submitting() {
        @Override
        public Optional<String> trace() {
          return Optional.of("x".repeat(1_001));
        }

        @Override
        public void answered(Submission submission) {
          throw new IllegalStateException("answered");
        }
      };
    }

    @Override
    public Running running(JobContext job, Optional<String> trace) {
      throw new AssertionError("running");
    }
  }

  @Test
  void guarding_tracingThatThrows_harmsNobody() {
    Tracing tracing = GuardedTracing.guarding(new CarelessTracing());

    Tracing.Submitting submitting = tracing.submitting("t", "default");
    assertThat(submitting.trace()).isEmpty();
    assertThatCode(() -> submitting.answered(new Submission.Submitted(UUID.randomUUID())))
        .doesNotThrowAnyException();
    assertThatCode(() -> tracing.running(null, Optional.empty()).ended("succeeded", null))
        .doesNotThrowAnyException();
  }

  @Test
  void guarding_spanThatOverflowsTheStack_harmsNobody() {
    Tracing tracing =
        GuardedTracing.guarding(
            new Tracing() {
              @Override
              public Submitting submitting(String task, String queue) {
                throw new NoClassDefFoundError("submitting");
              }

              @Override
              public Running running(JobContext job, Optional<String> trace) {
                return (verdict, failure) -> {
                  throw new StackOverflowError("ended");
                };
              }
            });

    assertThat(tracing.submitting("t", "default").trace()).isEmpty();
    assertThatCode(() -> tracing.running(null, Optional.empty()).ended("succeeded", null))
        .doesNotThrowAnyException();
  }

  @Test
  void guarding_none_staysNone() {
    assertThat(GuardedTracing.guarding(Tracing.NONE)).isSameAs(Tracing.NONE);
  }
}
