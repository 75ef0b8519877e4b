package dev.sluice.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LeaseTest {
  private static final Duration LENGTH = Duration.ofSeconds(10);
  private static final long SECOND = Duration.ofSeconds(1).toNanos();

  private final AtomicLong clock = new AtomicLong();

  @ParameterizedTest
  @ValueSource(longs = {0, 1_000_000, Long.MAX_VALUE - 5_000_000_000L, Long.MIN_VALUE})
  void valid_endsAMarginBeforeTheLease_whereverTheClockStands(long start) {
    clock.set(start);
    Lease lease = new Lease(LENGTH, start, clock::get);

    clock.set(start + 9 * SECOND - 1);
    assertThat(lease.valid()).isTrue();
    clock.set(start + 9 * SECOND);
    assertThat(lease.valid()).isFalse();
  }

  @Test
  void renewed_countsFromTheMomentItWasSent() {
    Lease lease = new Lease(LENGTH, 0, clock::get);

    clock.set(8 * SECOND);
    lease.renewed(3 * SECOND, Duration.ZERO);

    clock.set(12 * SECOND - 1);
    assertThat(lease.valid()).isTrue();
    clock.set(12 * SECOND);
    assertThat(lease.valid()).isFalse();
  }

  @Test
  void renewed_forLonger_isNotCutShortByTheNextRenewal() {
    Lease lease = new Lease(LENGTH, 0, clock::get);

    lease.renewed(0, Duration.ofMinutes(1));
    lease.renewed(SECOND, Duration.ZERO);

    clock.set(58 * SECOND);
    assertThat(lease.valid()).isTrue();
  }

  @Test
  void margin_isATenth_withinBounds() {
    assertThat(Lease.margin(Duration.ofSeconds(1))).isEqualTo(Duration.ofMillis(200));
    assertThat(Lease.margin(Duration.ofSeconds(10))).isEqualTo(Duration.ofSeconds(1));
    assertThat(Lease.margin(Duration.ofHours(1))).isEqualTo(Duration.ofSeconds(2));
  }
}
