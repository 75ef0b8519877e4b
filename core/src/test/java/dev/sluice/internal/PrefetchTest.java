package dev.sluice.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PrefetchTest {
  private final Prefetch prefetch = new Prefetch();

  @ParameterizedTest
  @CsvSource({
    "0, 499", "10000, 499", "78125, 256", "400000, 50", "1000000, 20", "3000000, 7",
    "5000000, 4", "20000000, 1", "50000000, 1", "99999999, 1", "100000000, 0", "5000000000, 0"
  })
  void depthFor_duration_buffersTwentyMilliseconds(double nanos, int depth) {
    assertThat(Prefetch.depthFor(nanos)).isEqualTo(depth);
  }

  @Test
  void depth_notMeasured_isZero() {
    assertThat(prefetch.depth("task")).isZero();
  }

  @Test
  void depth_measured_followsEachTaskByItself() {
    prefetch.measured("quick", Duration.ofMillis(5).toNanos());
    prefetch.measured("slow", Duration.ofMillis(500).toNanos());

    assertThat(prefetch.depth("quick")).isEqualTo(4);
    assertThat(prefetch.depth("slow")).isZero();
  }

  @Test
  void depth_afterPause_isZeroUntilTheNextMeasurement() {
    prefetch.measured("task", Duration.ofMillis(5).toNanos());

    prefetch.pause("task");
    assertThat(prefetch.depth("task")).isZero();

    prefetch.measured("task", Duration.ofMillis(5).toNanos());
    assertThat(prefetch.depth("task")).isEqualTo(4);
  }

  @Test
  void depth_afterOneVeryLongRun_comesBackWithinAFewShortOnes() {
    prefetch.measured("task", Duration.ofHours(1).toNanos());

    for (int i = 0; i < 4; i++) {
      prefetch.measured("task", Duration.ofMillis(5).toNanos());
    }

    assertThat(prefetch.depth("task")).isPositive();
  }
}
