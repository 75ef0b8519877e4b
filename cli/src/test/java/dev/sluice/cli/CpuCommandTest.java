package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.throttle.ReportLine;
import dev.sluice.throttle.Throttles;
import java.util.List;
import org.junit.jupiter.api.Test;

class CpuCommandTest {
  private final List<ReportLine> report = Throttles.fromEnvironment().report();

  @Test
  void cpu_printed_hasEveryNumberWithItsSource() {
    Run run = Run.of("cpu");
    assertThat(run.exitCode()).isEqualTo(ExitCode.OK);
    assertThat(run.err()).isEmpty();
    assertThat(run.lines()).hasSize(report.size() + 1);
    assertThat(run.out())
        .contains("physical cores", "effective cores", "cpu default", "io default", "greedy")
        .contains(report.stream().map(ReportLine::source).toList());
  }

  @Test
  void cpu_asJson_isALineForEachNumber() {
    Run run = Run.of("--json", "cpu");
    assertThat(run.lines())
        .hasSameSizeAs(report)
        .allMatch(
            line -> line.matches("\\{\"subject\":\".+\",\"value\":\".+\",\"source\":\".+\"}"));
  }
}
