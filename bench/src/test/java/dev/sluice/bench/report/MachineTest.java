package dev.sluice.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class MachineTest {
  @Test
  void described_saysWhatItRunsOn() {
    Map<String, String> machine = Machine.describe(Map.of("server_version", "16.4"));
    assertThat(machine.keySet())
        .containsExactly(
            Machine.PROCESSOR, Machine.MEMORY, Machine.SYSTEM, Machine.JAVA, Machine.POSTGRESQL);
    assertThat(machine.get(Machine.PROCESSOR)).matches("\\d+ × \\S.*");
    assertThat(machine.get(Machine.MEMORY)).matches("\\d+ GB");
    assertThat(Machine.caption(machine)).contains("PostgreSQL 16.4");
  }
}
