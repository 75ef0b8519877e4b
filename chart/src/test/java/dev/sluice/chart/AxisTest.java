package dev.sluice.chart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class AxisTest {
  @Test
  void linear_coversTheMostInEvenSteps() {
    Axis axis = Axis.linear(43_000);
    assertThat(axis.marks()).containsExactly(0.0, 10_000.0, 20_000.0, 30_000.0, 40_000.0, 50_000.0);
    assertThat(axis.position(25_000)).isEqualTo(0.5);
  }

  @Test
  void log_manyDecades_marksPowersOfTen() {
    Axis axis = Axis.log(1_000, 1_000_000);
    assertThat(axis.marks()).hasSize(4);
    assertThat(axis.position(1_000)).isEqualTo(0);
    assertThat(axis.position(31_622.7766)).isCloseTo(0.5, within(1e-6));
    assertThat(axis.position(1_000_000)).isEqualTo(1);
  }

  @Test
  void log_fewDecades_marksOneTwoFive() {
    assertThat(Axis.log(1, 8).marks()).containsExactly(1.0, 2.0, 5.0, 10.0);
  }

  @Test
  void log_oneValue_isNotEmpty() {
    assertThat(Axis.log(5, 5).position(5)).isZero();
  }
}
