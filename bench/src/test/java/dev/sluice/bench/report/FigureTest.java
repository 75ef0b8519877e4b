package dev.sluice.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.OptionalDouble;
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
  void oneRoundUnknown_wholeIsUnknown() {
    Figure figure = Figure.ifKnown("µs", List.of(OptionalDouble.of(3), OptionalDouble.empty()));
    assertThat(figure.known()).isFalse();
    assertThat(figure.median()).isNaN();
    assertThat(figure.most()).isNaN();
  }

  @Test
  void everyRoundKnown_hasThemInOrder() {
    Figure figure = Figure.ifKnown("µs", List.of(OptionalDouble.of(3), OptionalDouble.of(2)));
    assertThat(figure.values()).containsExactly(3.0, 2.0);
  }
}
