package dev.sluice.bench.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class CpuTimeTest {
  private static final CpuTime KNOWN = new CpuTime(OptionalLong.of(30_000), 2);
  private static final CpuTime UNKNOWN = new CpuTime(OptionalLong.empty(), 2);

  @Test
  void sum_isPerJobOfBoth() {
    CpuTime sum = KNOWN.plus(new CpuTime(OptionalLong.of(50_000), 6));
    assertThat(sum.microsPerJob()).hasValue(10);
  }

  @Test
  void sumWithSomethingUnknown_isUnknown() {
    assertThat(KNOWN.plus(UNKNOWN).microsPerJob()).isEmpty();
    assertThat(UNKNOWN.plus(KNOWN).microsPerJob()).isEmpty();
  }
}
