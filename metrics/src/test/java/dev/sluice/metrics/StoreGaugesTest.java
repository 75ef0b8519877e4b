package dev.sluice.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class StoreGaugesTest {
  private static final Duration SAMPLING = Duration.ofSeconds(5);

  @Test
  void pauseAfter_quickLook_isTheSampling() {
    assertThat(StoreGauges.pauseAfter(Duration.ofMillis(20), SAMPLING)).isEqualTo(SAMPLING);
  }

  @Test
  void pauseAfter_slowLook_leavesNineTenthsOfTheTime() {
    assertThat(StoreGauges.pauseAfter(Duration.ofSeconds(2), SAMPLING))
        .isEqualTo(Duration.ofSeconds(18));
  }
}
