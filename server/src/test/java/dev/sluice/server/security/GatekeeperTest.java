package dev.sluice.server.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.sluice.server.view.Problem;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

class GatekeeperTest {
  private static final String SECRET = "0123456789abcdef";

  private record Request(Map<String, String> headers, Map<String, String> cookies)
      implements Incoming {
    @Override
    public Optional<String> header(String name) {
      return Optional.ofNullable(headers.get(name));
    }

    @Override
    public Optional<String> cookie(String name) {
      return Optional.ofNullable(cookies.get(name));
    }

    @Override
    public String address() {
      return "10.0.0.1";
    }
  }

  private final AtomicLong clock = new AtomicLong();
  private final Gatekeeper gatekeeper =
      new Gatekeeper(
          new AccessTokens(List.of(AccessToken.parse("alice=" + SECRET, Role.READ))),
          new Sessions(clock::get),
          new Gatekeeper.Bounds(bound(3), bound(3), bound(3), bound(3)),
          new Gatekeeper.Place("10.0.0.2", () -> 8484, Set.of()));

  private RateBound bound(int burst) {
    return new RateBound(burst, 1, clock::get);
  }

  private static Request bearing(String token) {
    return new Request(Map.of("Authorization", "Bearer " + token), Map.of());
  }

  private int statusOf(Runnable refused) {
    return catchThrowableOfType(Problem.class, refused::run).status();
  }

  @Test
  void identify_rightTokenAfterManyWrongOnes_isKnown() {
    for (int i = 0; i < 3; i++) {
      assertThat(statusOf(() -> gatekeeper.identify(bearing("wrong"), Role.READ))).isEqualTo(401);
    }
    assertThat(statusOf(() -> gatekeeper.identify(bearing("wrong"), Role.READ))).isEqualTo(429);

    assertThat(gatekeeper.identify(bearing(SECRET), Role.READ).name()).isEqualTo("alice");
  }

  @Test
  void admit_readsBeyondTheRate_areRefusedButNotHealth() {
    Caller alice = gatekeeper.identify(bearing(SECRET), Role.READ);
    for (int i = 0; i < 3; i++) {
      gatekeeper.admit(bearing(SECRET), alice, Role.READ, false);
    }

    assertThat(statusOf(() -> gatekeeper.admit(bearing(SECRET), alice, Role.READ, false)))
        .isEqualTo(429);
    gatekeeper.admit(bearing(SECRET), alice, Role.OPEN, false);
  }

  @Test
  void lasting_session_endsWithIt() {
    String id = gatekeeper.logIn(bearing(""), SECRET);
    Request request = new Request(Map.of(), Map.of(gatekeeper.cookieName(), id));
    BooleanSupplier known = gatekeeper.lasting(request);
    assertThat(known.getAsBoolean()).isTrue();

    gatekeeper.logOut(request);

    assertThat(known.getAsBoolean()).isFalse();
    assertThat(gatekeeper.lasting(bearing(SECRET)).getAsBoolean()).isTrue();
  }

  @Test
  void lasting_session_endsWithItsTime() {
    String id = gatekeeper.logIn(bearing(""), SECRET);
    BooleanSupplier known =
        gatekeeper.lasting(new Request(Map.of(), Map.of(gatekeeper.cookieName(), id)));
    clock.addAndGet(Sessions.LIFETIME.toNanos());

    assertThat(known.getAsBoolean()).isFalse();
  }
}
