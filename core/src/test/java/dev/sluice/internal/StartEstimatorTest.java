package dev.sluice.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

class StartEstimatorTest {
  @Test
  void turn_placeIsFree_isNow() {
    assertThat(StartEstimator.turn(2, List.of(5.0), 0, 10)).isZero();
  }

  @Test
  void turn_oneSlotAndThreeAhead_comesAfterTheHolderAndThem() {
    assertThat(StartEstimator.turn(1, List.of(4.0), 3, 10)).isEqualTo(34.0, within(1e-9));
  }

  @Test
  void turn_severalSlots_takesWhicheverComesFreeFirst() {
    // Free at 1 and 2: the two ahead take them until 11 and 12.
    assertThat(StartEstimator.turn(2, List.of(2.0, 1.0), 2, 10)).isEqualTo(11.0, within(1e-9));
  }

  @Test
  void turn_groupDrains_theFirstToEndLeaveNoRoom() {
    assertThat(StartEstimator.turn(1, List.of(1.0, 2.0, 3.0), 0, 10)).isEqualTo(3.0);
  }

  @Test
  void turn_hugeLimit_isWorkedOutWithoutPlaying() {
    int places = 100_000;
    List<Double> busy = Collections.nCopies(places, 5.0);

    assertThat(StartEstimator.turn(places, busy, 10_000, 10)).isBetween(0.0, 10.0);
  }

  @Test
  void left_longerThanUsual_isHalfOfOne() {
    assertThat(StartEstimator.left(Duration.ofSeconds(3), 10)).isEqualTo(7.0);
    assertThat(StartEstimator.left(Duration.ofSeconds(300), 10)).isEqualTo(5.0);
    assertThat(StartEstimator.left(Duration.ofSeconds(-1), 10)).isEqualTo(10.0);
  }

  @Test
  void spread_runningJobs_comeFreeEvenly() {
    assertThat(StartEstimator.spread(3, 8)).containsExactly(2.0, 4.0, 6.0);
    assertThat(StartEstimator.spread(0, 8)).isEmpty();
  }
}
