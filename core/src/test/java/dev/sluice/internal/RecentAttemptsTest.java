package dev.sluice.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.WorkerBulletin.Lately;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class RecentAttemptsTest {
  private long nanos = Long.MAX_VALUE - Duration.ofMinutes(3).toNanos();
  private final RecentAttempts attempts = new RecentAttempts(() -> nanos);

  private void pass(Duration time) {
    nanos += time.toNanos();
  }

  @Test
  void anAttempt_isForgottenAfterTenMinutes() {
    attempts.add(true);
    attempts.add(false);
    pass(Duration.ofMinutes(9));
    attempts.add(true);
    assertThat(attempts.read()).isEqualTo(new Lately(3, 2));

    pass(Duration.ofMinutes(1));
    assertThat(attempts.read()).isEqualTo(new Lately(1, 1));
    pass(Duration.ofDays(400));
    assertThat(attempts.read()).isEqualTo(Lately.NONE);
    attempts.add(false);
    assertThat(attempts.read()).isEqualTo(new Lately(1, 0));
  }
}
