package dev.sluice.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class ElapsedClockTest {
  private static final long SECOND = 1_000_000_000L;

  private final AtomicLong monotonic = new AtomicLong(-7 * SECOND);
  private final AtomicLong boot = new AtomicLong(123_450);
  private final AtomicLong wall = new AtomicLong(1_700_000_000_000L);
  private final ElapsedClock clock = new ElapsedClock(monotonic::get, boot::get, wall::get);

  private void pass(long seconds) {
    monotonic.addAndGet(seconds * SECOND);
    suspend(seconds);
  }

  private void suspend(long seconds) {
    boot.addAndGet(seconds * 1_000);
    wall.addAndGet(seconds * 1_000);
  }

  @Test
  void nanos_countWhatTheMonotonicClockMissed_fromTheNextLookOn() {
    long start = clock.nanos();
    pass(2);
    suspend(40);
    assertThat(clock.nanos() - start).isEqualTo(2 * SECOND);
    clock.look();
    assertThat(clock.nanos() - start).isEqualTo(42 * SECOND);
    pass(3);
    suspend(1);
    clock.look();
    assertThat(clock.nanos() - start).isEqualTo(46 * SECOND);
  }

  @Test
  void look_theStepsOfTheBootClock_areNoSuspension() {
    long start = clock.nanos();
    boot.addAndGet(90);
    clock.look();
    boot.addAndGet(-180);
    clock.look();
    assertThat(clock.nanos()).isEqualTo(start);
  }

  @Test
  void look_pausedBetweenTwoReadings_isNoSuspension() {
    AtomicLong pause = new AtomicLong();
    ElapsedClock paused =
        new ElapsedClock(
            monotonic::get,
            () -> {
              pass(pause.get());
              return boot.get();
            },
            wall::get);
    pause.set(5);
    paused.look();
    assertThat(paused.suspendedNanos()).isZero();
    pause.set(0);
    suspend(3);
    paused.look();
    assertThat(paused.suspendedNanos()).isEqualTo(3 * SECOND);
  }

  @Test
  void look_noTimeSinceBoot_leavesTheMonotonicClock() {
    ElapsedClock without = new ElapsedClock(monotonic::get, () -> ElapsedClock.UNKNOWN, wall::get);
    pass(1);
    suspend(40);
    without.look();
    assertThat(without.nanos()).isEqualTo(monotonic.get());
  }

  @Test
  void jumps_areSuspensionsAndAWallClockThatWasSet_onceEach() {
    ClockJumps jumps = new ClockJumps(clock);
    pass(60);
    assertThat(jumps.look()).isFalse();
    suspend(5);
    assertThat(jumps.look()).isTrue();
    assertThat(jumps.look()).isFalse();
    wall.addAndGet(-3_600_000);
    assertThat(jumps.look()).isTrue();
    assertThat(jumps.look()).isFalse();
    wall.addAndGet(999);
    assertThat(jumps.look()).isFalse();
  }

  @Test
  void system_goesOnAndIsNotSuspendedNow() {
    long before = ElapsedClock.SYSTEM.nanos();
    ElapsedClock.SYSTEM.look();
    assertThat(ElapsedClock.SYSTEM.nanos()).isGreaterThanOrEqualTo(before);
  }
}
