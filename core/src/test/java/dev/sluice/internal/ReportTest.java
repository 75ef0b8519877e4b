package dev.sluice.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.spi.JobOutcome;
import dev.sluice.spi.JobOutcome.Cancelled;
import dev.sluice.spi.JobOutcome.Failure;
import dev.sluice.spi.JobOutcome.Retry;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class ReportTest {
  /** A job that failed after it was asked to stop was counted as one to be tried again. */
  @Test
  void recordedAsCancelled_failedAttempt_isCountedAsCancelled() {
    UUID id = UUID.randomUUID();
    Retry retry = new Retry(new Failure("E", "m", ""), Duration.ofSeconds(1));
    JobOutcome outcome = new JobOutcome(id, 7, retry, Duration.ofSeconds(2));
    Report report = new Report(outcome, null, new IllegalStateException("m"), true);

    Report recorded = report.recordedAsCancelled();

    assertThat(recorded.outcome())
        .isEqualTo(new JobOutcome(id, 7, new Cancelled(), Duration.ofSeconds(2)));
    assertThat(recorded.failure()).isNull();
    assertThat(recorded.sent()).isTrue();
  }
}
