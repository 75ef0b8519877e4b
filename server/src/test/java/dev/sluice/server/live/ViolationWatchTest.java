package dev.sluice.server.live;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.AuditReport;
import dev.sluice.AuditReport.Finding;
import dev.sluice.AuditReport.Kind;
import dev.sluice.Group;
import dev.sluice.Sluice;
import java.util.List;
import org.junit.jupiter.api.Test;

class ViolationWatchTest {
  private static AuditReport found(Kind kind) {
    return new AuditReport(List.of(new Finding(Group.of("g"), kind, 1, "")), false);
  }

  @Test
  void take_violationThatStays_countsOnce() {
    try (Sluice sluice = Sluice.open("memory:");
        ViolationWatch watch = new ViolationWatch(sluice.concurrency())) {
      watch.take(found(Kind.EXCEEDED));
      watch.take(found(Kind.EXCEEDED));
      assertThat(watch.count()).isEqualTo(1);
      watch.take(AuditReport.CLEAN);
      watch.take(found(Kind.EXCEEDED));
      assertThat(watch.count()).isEqualTo(2);
    }
  }

  @Test
  void take_drift_isNoViolation() {
    try (Sluice sluice = Sluice.open("memory:");
        ViolationWatch watch = new ViolationWatch(sluice.concurrency())) {
      watch.take(found(Kind.MISCOUNTED));
      assertThat(watch.count()).isZero();
    }
  }
}
