package dev.sluice.tck;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.tck.OverlapMeter.Interval;
import java.util.List;
import org.junit.jupiter.api.Test;

class LimitTimelineTest {
  private final long now = System.nanoTime();

  private Interval interval(long start, long end) {
    return new Interval(now + start, now + end);
  }

  @Test
  void peak_touchingIntervals_doNotOverlap() {
    assertThat(OverlapMeter.peak(List.of(interval(0, 10), interval(10, 20)))).isEqualTo(1);
    assertThat(OverlapMeter.peak(List.of(interval(0, 11), interval(10, 20), interval(5, 30))))
        .isEqualTo(3);
    assertThat(OverlapMeter.peak(List.of())).isZero();
  }

  @Test
  void violations_startWhileFull_isFound() {
    LimitTimeline timeline = new LimitTimeline();
    timeline.change(1, () -> {});
    long later = System.nanoTime() - now;

    assertThat(
            timeline.violations(
                List.of(interval(later, later + 9), interval(later + 9, later + 20))))
        .isEmpty();
    assertThat(
            timeline.violations(
                List.of(interval(later, later + 9), interval(later + 8, later + 20))))
        .hasSize(1);
  }

  @Test
  void violations_loweredLimit_letsTheRunningDrainAndNothingStart() {
    LimitTimeline timeline = new LimitTimeline();
    timeline.change(2, () -> {});
    long before = System.nanoTime() - now;
    timeline.change(1, () -> {});
    long after = System.nanoTime() - now;
    Interval one = interval(before, after + 100);
    Interval two = interval(before, after + 50);

    assertThat(timeline.violations(List.of(one, two))).isEmpty();
    assertThat(timeline.violations(List.of(one, two, interval(after + 60, after + 70)))).hasSize(1);
    assertThat(timeline.violations(List.of(one, two, interval(after + 100, after + 170))))
        .isEmpty();
  }

  @Test
  void inForceAt_whileAChangeIsUnderWay_isTheLarger() {
    LimitTimeline timeline = new LimitTimeline();
    timeline.change(5, () -> {});
    long[] during = new long[1];
    timeline.change(2, () -> during[0] = System.nanoTime());

    assertThat(timeline.inForceAt(during[0])).isEqualTo(5);
    assertThat(timeline.inForceAt(System.nanoTime())).isEqualTo(2);
  }
}
