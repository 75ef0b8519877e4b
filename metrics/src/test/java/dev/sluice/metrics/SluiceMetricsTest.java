package dev.sluice.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.AuditReport;
import dev.sluice.AuditReport.Finding;
import dev.sluice.AuditReport.Kind;
import dev.sluice.Group;
import dev.sluice.Submission;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class SluiceMetricsTest {
  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private final SluiceMetrics metrics = SluiceMetrics.on(registry, 2);

  private double counter(String name, String... tags) {
    return registry.get(name).tags(tags).counter().count();
  }

  @Test
  void on_nothingHappenedYet_whatMustStayZeroIsThere() {
    assertThat(counter("sluice.limit.violations")).isZero();
    assertThat(counter("sluice.lease.lost")).isZero();
  }

  @Test
  void onSubmit_onlyNewJobs_count() {
    metrics.onSubmit("t", new Submission.Submitted(UUID.randomUUID()));
    metrics.onSubmit("t", new Submission.Duplicate(UUID.randomUUID()));
    metrics.onSubmit("t", new Submission.Rejected(Group.of("t"), 1, 1));

    assertThat(counter("sluice.jobs.submitted", "task", "t")).isEqualTo(1);
  }

  @Test
  void onAcquired_waitAndResult_areByGroup() {
    metrics.onAcquired(Group.of("g"), Duration.ofMillis(250));
    metrics.onAcquired(Group.of("g"), Duration.ofMillis(750));
    metrics.onRejected(Group.of("g"));

    assertThat(counter("sluice.concurrency.acquisition", "group", "g", "result", "acquired"))
        .isEqualTo(2);
    assertThat(counter("sluice.concurrency.acquisition", "group", "g", "result", "rejected"))
        .isEqualTo(1);
    assertThat(
            registry
                .get("sluice.concurrency.wait")
                .tags("group", "g")
                .timer()
                .totalTime(TimeUnit.MILLISECONDS))
        .isEqualTo(1_000);
  }

  @Test
  void onAcquired_moreGroupsThanNames_countAsOther() {
    for (int i = 0; i < 1_000; i++) {
      metrics.onAcquired(Group.of("g" + i), Duration.ZERO);
    }

    assertThat(counter("sluice.concurrency.acquisition", "group", "other", "result", "acquired"))
        .isEqualTo(998);
    assertThat(registry.find("sluice.concurrency.wait").timers()).hasSize(3);
  }

  @Test
  void onAudit_onlyViolations_count() {
    metrics.onAudit(
        new AuditReport(
            List.of(
                new Finding(Group.of("a"), Kind.LEAKED, 3, "seen"),
                new Finding(Group.of("b"), Kind.EXCEEDED, 2, "seen")),
            true));
    metrics.onAudit(AuditReport.CLEAN);

    assertThat(counter("sluice.limit.violations")).isEqualTo(1);
  }

  @Test
  void on_noNames_isRefused() {
    assertThatThrownBy(() -> SluiceMetrics.on(registry, 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("names");
  }
}
