package dev.sluice.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.AuditReport;
import dev.sluice.AuditReport.Finding;
import dev.sluice.AuditReport.Kind;
import dev.sluice.Group;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class SlotAuditorTest {
  private static Finding finding(Kind kind) {
    return new Finding(Group.of("g"), kind, 1, "Seen.");
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void remedy_anyFinding_isASentence(Kind kind) {
    assertThat(SlotAuditor.remedy(finding(kind), true)).endsWith(".").isNotBlank();
    assertThat(SlotAuditor.remedy(finding(kind), false)).endsWith(".").isNotBlank();
  }

  private final List<AuditReport> told = new ArrayList<>();
  private final List<Duration> asked = new ArrayList<>();

  /** An auditor to whom the store answers one after the other. */
  private SlotAuditor auditor(List<Optional<AuditReport>> answers) {
    Iterator<Optional<AuditReport>> next = answers.iterator();
    return new SlotAuditor(
        due -> {
          asked.add(due);
          return next.next();
        },
        told::add);
  }

  private static Optional<AuditReport> found(boolean repaired, Kind... kinds) {
    return Optional.of(
        new AuditReport(Arrays.stream(kinds).map(SlotAuditorTest::finding).toList(), repaired));
  }

  /** A slot released by force was a violation every minute for as long as its job ran. */
  @Test
  void run_findingThatLasts_isToldWhenItAppears() {
    SlotAuditor auditor =
        auditor(
            List.of(
                found(false, Kind.UNCOVERED, Kind.UNCOVERED),
                found(false, Kind.UNCOVERED),
                found(false, Kind.UNCOVERED, Kind.EXCEEDED),
                found(false),
                found(false, Kind.UNCOVERED)));
    for (int i = 0; i < 5; i++) {
      auditor.run();
    }

    assertThat(told).extracting(AuditReport::violations).containsExactly(1, 0, 1, 0, 1);
  }

  @Test
  void run_repairedAndFoundAgain_isToldAgain() {
    SlotAuditor auditor = auditor(List.of(found(true, Kind.LEAKED), found(true, Kind.LEAKED)));
    auditor.run();
    auditor.run();

    assertThat(told).extracting(report -> report.findings().size()).containsExactly(1, 1);
  }

  @Test
  void run_anotherAudits_stepsInOnlyWhenItIsMissed() {
    SlotAuditor auditor =
        auditor(
            List.of(Optional.empty(), found(false), found(false), Optional.empty(), found(false)));
    for (int i = 0; i < 5; i++) {
      auditor.run();
    }

    Duration missed = SlotAuditor.MISSED;
    Duration again = SlotAuditor.DUE_AGAIN;
    assertThat(asked).containsExactly(missed, missed, again, again, missed);
    assertThat(told).hasSize(3);
  }

  @Test
  void remedy_repaired_saysSo() {
    assertThat(SlotAuditor.remedy(finding(Kind.LEAKED), true)).contains("were freed");
    assertThat(SlotAuditor.remedy(finding(Kind.LEAKED), false)).doesNotContain("were freed");
  }

  @Test
  void violations_driftOfCounts_isNone() {
    AuditReport report =
        new AuditReport(List.of(finding(Kind.MISCOUNTED), finding(Kind.UNCOVERED)), true);

    assertThat(report.violations()).isEqualTo(1);
    assertThat(report.isClean()).isFalse();
  }
}
