package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

/** The packaged program, in environments of its own. */
class CpuCommandIT {
  @Test
  void cpu_withVariables_saysWhichDecided() throws Exception {
    Map<String, String> variables =
        Map.of("EFFECTIVE_CPU_CORES", "6", "DISK_CONCURRENCY", "3", "GREEDY_PER_JOB", "no");
    try (Program program = Program.start(variables, "cpu")) {
      Run run = program.await();
      assertThat(run.exitCode()).isEqualTo(ExitCode.OK);
      assertThat(run.out())
          .containsPattern("effective cores +6 +EFFECTIVE_CPU_CORES")
          .containsPattern("greedy +false +GREEDY_PER_JOB")
          .containsPattern("io default +12 +computed: max\\(4, 2 × 6 cores\\)")
          .containsPattern("disk +3 +DISK_CONCURRENCY");
    }
  }

  @Test
  void cpu_withAVariableThatMakesNoSense_namesIt() throws Exception {
    try (Program program = Program.start(Map.of("DB_MAX_INFLIGHT", "plenty"), "cpu")) {
      Run run = program.await();
      assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE);
      assertThat(run.err())
          .startsWith("sluice: DB_MAX_INFLIGHT is 'plenty', which is not a whole number")
          .hasLineCount(1);
    }
  }
}
