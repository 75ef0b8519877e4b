package dev.sluice.bench.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class PlanTest {
  @Test
  void order_isReversedEveryOtherRound() {
    assertThat(Alternation.order(0, 3)).containsExactly(0, 1, 2);
    assertThat(Alternation.order(1, 3)).containsExactly(2, 1, 0);
    assertThat(Alternation.order(2, 3)).containsExactly(0, 1, 2);
  }

  @Test
  void scale_shrinksJobsAndTimeButLeavesAFewJobs() {
    Plan small = new Plan(1, 0.01);
    assertThat(small.jobs(10_000)).isEqualTo(100);
    assertThat(small.jobs(200)).isEqualTo(10);
    assertThat(small.jobs(3)).isEqualTo(3);
    assertThat(small.leastNanos()).isEqualTo(TimeUnit.MILLISECONDS.toNanos(50));
  }

  @Test
  void steps_arePowersOfTenUpToTheLargest() {
    assertThat(Growth.powersOfTen(1_000, 999_999)).containsExactly(1_000, 10_000, 100_000);
    assertThat(Growth.powersOfTen(1, 1)).containsExactly(1);
  }

  @Test
  void steadyPace_submitsWholeBatches() {
    SteadyPace pace = SteadyPace.perSecond(2_550);
    assertThat(pace.batch()).isEqualTo(25);
    assertThat(pace.jobs(new Plan(1, 1))).isEqualTo(12_500);
  }
}
