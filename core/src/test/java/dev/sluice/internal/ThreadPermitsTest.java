package dev.sluice.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class ThreadPermitsTest {
  private final ThreadPermits permits = new ThreadPermits(3, Map.of("narrow", 1));

  @Test
  void tryTake_worksWithinBothBounds() {
    assertThat(permits.tryTake("narrow")).isTrue();
    assertThat(permits.tryTake("narrow")).isFalse();
    assertThat(permits.freeFor("narrow")).isZero();
    assertThat(permits.freeFor("wide")).isEqualTo(2);
    assertThat(permits.tryTake("wide")).isTrue();
    assertThat(permits.tryTake("wide")).isTrue();
    assertThat(permits.tryTake("wide")).isFalse();

    permits.giveBack("narrow");
    assertThat(permits.tryTake("wide")).isTrue();
    assertThat(permits.tryTake("narrow")).isFalse();
    assertThat(permits.inUse()).isEqualTo(3);
    assertThat(permits.inUseBy("wide")).isEqualTo(3);
  }

  @Test
  void awaitNoneInUse_givenBackMeanwhile_comesTrue() throws InterruptedException {
    permits.tryTake("wide");
    assertThat(permits.awaitNoneInUse(1)).isFalse();

    Thread other = new Thread(() -> permits.giveBack("wide"));
    other.start();

    assertThat(permits.awaitNoneInUse(Long.MAX_VALUE)).isTrue();
    other.join();
  }
}
