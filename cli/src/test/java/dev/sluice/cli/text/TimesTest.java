package dev.sluice.cli.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import org.junit.jupiter.api.Test;

class TimesTest {
  private static final Instant NOW = Instant.parse("2026-03-01T12:00:00Z");
  private final Times times = new Times(Clock.fixed(NOW, ZoneId.of("Europe/Berlin")));

  @Test
  void age_pastNowAndFuture_readAsPeopleSayThem() {
    assertThat(times.age(NOW.minusSeconds(185))).isEqualTo("3m 5s ago");
    assertThat(times.age(NOW.plusMillis(300))).isEqualTo("now");
    assertThat(times.age(NOW.plusSeconds(20))).isEqualTo("in 20s");
  }

  @Test
  void full_moment_isInTheReadersZone() {
    assertThat(times.full(NOW.minusSeconds(60))).isEqualTo("2026-03-01 12:59:00+01:00 (1m 0s ago)");
  }

  @Test
  void until_passedMoment_isZero() {
    assertThat(times.until(NOW.minusSeconds(1))).isEqualTo(Duration.ZERO);
  }
}
