package dev.sluice.object;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class RetryScheduleTest {
  private final AtomicInteger drawn = new AtomicInteger();

  @Test
  void next_isTrueUntilTheTriesAreUsedUp() {
    RetrySchedule.Run run = schedule(3, Duration.ofMinutes(1)).begin();

    assertThat(run.next()).isTrue();
    assertThat(run.next()).isTrue();
    assertThat(run.next()).isFalse();
    assertThat(drawn).hasValue(2);
  }

  @Test
  void next_patienceIsOver_isFalseAtOnce() {
    assertThat(schedule(3, Duration.ZERO).begin().next()).isFalse();
    assertThat(drawn).hasValue(0);
  }

  @Test
  void next_interrupted_isFalseAndTheThreadStaysInterrupted() {
    Thread.currentThread().interrupt();

    assertThat(schedule(3, Duration.ofMinutes(1)).begin().next()).isFalse();
    assertThat(Thread.interrupted()).isTrue();
  }

  private RetrySchedule schedule(int tries, Duration patience) {
    return new RetrySchedule(
        tries,
        Duration.ofMillis(1),
        Duration.ofMillis(2),
        patience,
        () -> drawn.incrementAndGet() * 0.0);
  }
}
