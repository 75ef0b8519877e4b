package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class SubmitOptionsTest {
  @Test
  void everyMethod_leavesItsReceiverAsItWas() {
    SubmitOptions defaults = SubmitOptions.DEFAULTS;
    SubmitOptions changed =
        defaults
            .id(UUID.randomUUID())
            .queue("slow")
            .priority(7)
            .delay(Duration.ofMinutes(1))
            .timeout(Duration.ofSeconds(3))
            .dedupeKey("once")
            .concurrencyGroup("heavy")
            .concurrencyKey("db-7")
            .concurrencyLimit(5)
            .onLimit(OnLimit.REJECT);

    assertThat(defaults.id()).isEmpty();
    assertThat(defaults.queue()).isEqualTo(SubmitOptions.DEFAULT_QUEUE);
    assertThat(defaults.priority()).isZero();
    assertThat(defaults.delay()).isZero();
    assertThat(defaults.timeout()).isEmpty();
    assertThat(defaults.dedupeKey()).isEmpty();
    assertThat(defaults.concurrencyGroup()).isEmpty();
    assertThat(defaults.concurrencyKey()).isEmpty();
    assertThat(defaults.concurrencyLimit()).isEmpty();
    assertThat(defaults.onLimit()).isEqualTo(OnLimit.WAIT);
    assertThat(changed.priority(8).priority()).isEqualTo(8);
    assertThat(changed.priority()).isEqualTo(7);
    assertThat(changed.concurrencyKey()).isEqualTo("db-7");
  }

  @Test
  void delayAndRunAt_theLatterCallWins() {
    Instant moment = Instant.parse("2030-01-01T00:00:00Z");

    SubmitOptions at = SubmitOptions.DEFAULTS.delay(Duration.ofHours(1)).runAt(moment);
    SubmitOptions later = at.delay(Duration.ofHours(2));

    assertThat(at.delay()).isZero();
    assertThat(at.runAt()).contains(moment);
    assertThat(later.runAt()).isEmpty();
    assertThat(later.delay()).isEqualTo(Duration.ofHours(2));
  }

  @Test
  void badValues_areRefusedWhereTheyAreGiven() {
    SubmitOptions options = SubmitOptions.DEFAULTS;

    assertThatThrownBy(() -> options.delay(Duration.ofMillis(-1)))
        .isInstanceOf(InvalidRequestException.class);
    assertThatThrownBy(() -> options.timeout(Duration.ZERO)).hasMessageContaining("timeout");
    assertThatThrownBy(() -> options.concurrencyLimit(-1)).hasMessageContaining("negative");
    assertThatThrownBy(() -> options.queue(" ")).hasMessageContaining("queue");
    assertThatThrownBy(() -> options.dedupeKey("a\u0000b")).hasMessageContaining("NUL");
  }
}
