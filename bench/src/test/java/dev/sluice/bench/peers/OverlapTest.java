package dev.sluice.bench.peers;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;

class OverlapTest {
  @Test
  void peak_spansOneAfterTheOther_isOne() {
    assertThat(Overlap.peak(new long[] {0, 10, 20}, new long[] {10, 20, 30})).isEqualTo(1);
  }

  @Test
  void peak_spansInsideOneAnother_countsAll() {
    assertThat(Overlap.peak(new long[] {0, 2, 4, 50}, new long[] {10, 9, 8, 60})).isEqualTo(3);
  }

  @Test
  void peak_instantsWithoutLength_areAtWorkWhileTheyStart() {
    assertThat(Overlap.peak(new long[] {5, 7}, new long[] {5, 7})).isEqualTo(1);
  }

  @Test
  void peak_noSpans_isZero() {
    assertThat(Overlap.peak(new long[0], new long[0])).isZero();
  }

  @Test
  void peak_anySpans_agreesWithCountingAtEveryMoment() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    for (int attempt = 0; attempt < 200; attempt++) {
      int spans = 1 + random.nextInt(20);
      long[] started = random.longs(spans, 0, 50).toArray();
      long[] ended = new long[spans];
      for (int i = 0; i < spans; i++) {
        ended[i] = started[i] + 1 + random.nextInt(20);
      }
      assertThat(Overlap.peak(started, ended))
          .as("seed %d", seed)
          .isEqualTo(counted(started, ended));
    }
  }

  private static int counted(long[] started, long[] ended) {
    int peak = 0;
    for (int moment = 0; moment < 100; moment++) {
      int covering = 0;
      for (int i = 0; i < started.length; i++) {
        covering += started[i] <= moment && moment < ended[i] ? 1 : 0;
      }
      peak = Math.max(peak, covering);
    }
    return peak;
  }
}
