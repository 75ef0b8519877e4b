package dev.sluice.bench.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class FigureTest {
  @Test
  void oddNumberOfValues_medianIsTheMiddleOne() {
    assertThat(SampleReport.figure("ms", 9, 1, 5).median()).isEqualTo(5);
  }

  @Test
  void evenNumberOfValues_medianIsTheMeanOfTheMiddleTwo() {
    assertThat(SampleReport.figure("ms", 9, 1, 5, 6).median()).isEqualTo(5.5);
  }

  @Test
  void leastAndMost_areTheEnds() {
    Figure figure = SampleReport.figure("ms", 9, 1, 5);
    assertThat(figure.least()).isEqualTo(1);
    assertThat(figure.most()).isEqualTo(9);
  }

  @Test
  void noValue_isRefused() {
    assertThatThrownBy(() -> new Figure("ms", List.of()))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
