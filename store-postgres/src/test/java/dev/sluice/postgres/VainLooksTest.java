package dev.sluice.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class VainLooksTest {
  private final VainLooks looks = new VainLooks();

  @Test
  void pauses_afterTheSecondVainLookOn_doubleUpToTheLongest() {
    assertThat(looks.pauseAfter(true, true)).isZero();
    assertThat(looks.pauseAfter(true, true)).isEqualTo(Duration.ofMillis(4));
    assertThat(looks.pauseAfter(true, true)).isEqualTo(Duration.ofMillis(8));
    assertThat(looks.pauseAfter(true, true)).isEqualTo(Duration.ofMillis(16));
    for (int i = 0; i < 100; i++) {
      looks.pauseAfter(true, true);
    }
    assertThat(looks.pauseAfter(true, true)).isEqualTo(VainLooks.LONGEST_PAUSE);
  }

  @Test
  void lookThatFoundJobs_endsThePauses() {
    looks.pauseAfter(true, true);
    looks.pauseAfter(true, true);

    assertThat(looks.pauseAfter(false, false)).isZero();
    assertThat(looks.pauseAfter(true, true)).isZero();
  }

  @Test
  void vainLooks_lastIfFullGroupsKeptJobsFromEightOfThem() {
    for (int i = 0; i < 100; i++) {
      looks.pauseAfter(true, false);
    }
    assertThat(looks.last()).isFalse();
    for (int i = 0; i < 8; i++) {
      assertThat(looks.last()).isFalse();
      looks.pauseAfter(true, true);
    }
    assertThat(looks.last()).isTrue();

    looks.pauseAfter(false, true);

    assertThat(looks.last()).isFalse();
  }
}
