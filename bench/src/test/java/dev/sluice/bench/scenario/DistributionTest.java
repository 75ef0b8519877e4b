package dev.sluice.bench.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class DistributionTest {
  private static final long MILLI = 1_000_000;

  @Test
  void percentile_isTheSmallestThatCoversTheShare() {
    Distribution hundred =
        Distribution.ofNanos(LongStream.rangeClosed(1, 100).map(i -> (101 - i) * MILLI).toArray());
    assertThat(hundred.percentile(50)).isEqualTo(50);
    assertThat(hundred.percentile(99)).isEqualTo(99);
    assertThat(hundred.percentile(100)).isEqualTo(100);
    assertThat(hundred.percentile(0)).isEqualTo(1);
  }

  @Test
  void fewSamples_highPercentileIsTheLargest() {
    Distribution three = Distribution.ofNanos(3 * MILLI, MILLI, 2 * MILLI);
    assertThat(three.percentile(99)).isEqualTo(3);
    assertThat(three.percentile(50)).isEqualTo(2);
  }

  @Test
  void samples_drainedOnce_areGone() {
    Samples samples = new Samples();
    samples.add(5 * MILLI);
    assertThat(samples.drain().percentile(50)).isEqualTo(5);
    assertThat(samples.drain().isEmpty()).isTrue();
  }
}
