package dev.sluice.server.security;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Rates and sessions, by a clock that the test moves. */
class BoundsTest {
  private static final long SECOND = 1_000_000_000L;

  private final AtomicLong clock = new AtomicLong();

  @Test
  void rate_burstThenSteady_isBoundedPerClient() {
    RateBound bound = new RateBound(3, 1, clock::get);
    for (int i = 0; i < 3; i++) {
      assertThat(bound.take("a")).isZero();
    }
    assertThat(bound.take("a")).isEqualTo(1);
    assertThat(bound.take("b")).isZero();
    clock.addAndGet(SECOND);
    assertThat(bound.take("a")).isZero();
    assertThat(bound.take("a")).isEqualTo(1);
  }

  @Test
  void rate_longPause_fillsToTheBurstAndNoFurther() {
    RateBound bound = new RateBound(2, 1, clock::get);
    bound.take("a");
    clock.addAndGet(1_000 * SECOND);
    assertThat(bound.take("a") + bound.take("a")).isZero();
    assertThat(bound.take("a")).isPositive();
  }

  @Test
  void session_begunAndEnded_isFoundOnlyBetween() {
    Sessions sessions = new Sessions(clock::get);
    AccessToken token = AccessToken.parse("0123456789abcdef", Role.READ);
    String id = sessions.begin(token);

    assertThat(id).hasSize(43);
    assertThat(sessions.find(id)).contains(token);
    assertThat(sessions.find(id + "x")).isEmpty();
    sessions.end(id);
    assertThat(sessions.find(id)).isEmpty();
  }

  @Test
  void session_tooOld_hasEnded() {
    Sessions sessions = new Sessions(clock::get);
    String id = sessions.begin(AccessToken.parse("0123456789abcdef", Role.READ));
    clock.addAndGet(Sessions.LIFETIME.toNanos());

    assertThat(sessions.find(id)).isEmpty();
  }

  @Test
  void session_tooMany_endTheOldest() {
    Sessions sessions = new Sessions(clock::get);
    AccessToken token = AccessToken.parse("0123456789abcdef", Role.READ);
    String first = sessions.begin(token);
    String last = first;
    for (int i = 0; i < 1_000; i++) {
      last = sessions.begin(token);
    }

    assertThat(sessions.find(first)).isEmpty();
    assertThat(sessions.find(last)).isPresent();
  }
}
