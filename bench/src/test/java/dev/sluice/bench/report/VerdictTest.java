package dev.sluice.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import org.junit.jupiter.api.Test;

class VerdictTest {
  @Test
  void atLeast_isJudgedFromBelow() {
    Ratio.Goal goal = Ratio.Goal.atLeast(0.8, 0.95);
    assertThat(verdict(goal, 0.95)).isEqualTo(Verdict.EXCELS);
    assertThat(verdict(goal, 0.8)).isEqualTo(Verdict.HOLDS);
    assertThat(verdict(goal, 0.79)).isEqualTo(Verdict.MISSED);
  }

  @Test
  void atMost_isJudgedFromAbove() {
    Ratio.Goal goal = Ratio.Goal.atMost(1.1, 1.0);
    assertThat(verdict(goal, 1.0)).isEqualTo(Verdict.EXCELS);
    assertThat(verdict(goal, 1.1)).isEqualTo(Verdict.HOLDS);
    assertThat(verdict(goal, 1.11)).isEqualTo(Verdict.MISSED);
  }

  @Test
  void median_decides() {
    Figure rounds = SampleReport.figure("", 0.5, 0.9, 0.96);
    Ratio ratio = new Ratio("a vs b", rounds, Optional.of(Ratio.Goal.atLeast(0.8, 0.95)));
    assertThat(Verdict.of(ratio)).isEqualTo(Verdict.HOLDS);
  }

  @Test
  void noGoal_isOnlyTold() {
    Ratio ratio = new Ratio("a vs b", Figure.once("", 0.1), Optional.empty());
    assertThat(Verdict.of(ratio)).isEqualTo(Verdict.TOLD);
    assertThat(Verdict.TOLD.word()).isEmpty();
  }

  private static Verdict verdict(Ratio.Goal goal, double value) {
    return Verdict.of(new Ratio("a vs b", Figure.once("", value), Optional.of(goal)));
  }
}
