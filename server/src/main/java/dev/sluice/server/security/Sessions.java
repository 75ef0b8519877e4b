package dev.sluice.server.security;

import java.security.SecureRandom;
import java.time.Duration;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * Tokens that browsers have exchanged for a cookie. In memory: a restart ends them. Thread-safe.
 * Kept under a digest of their id, so that finding one takes no time that depends on the id.
 */
public final class Sessions {
  /** How long a session lasts. */
  public static final Duration LIFETIME = Duration.ofHours(12);

  private static final int MOST = 1_000;
  private static final int ID_BYTES = 32;

  private record Session(AccessToken token, long endsAt) {}

  private final SecureRandom random = new SecureRandom();
  private final Map<String, Session> byDigest = new LinkedHashMap<>();
  private final LongSupplier nanos;

  /** Sessions that age by this clock, in nanoseconds. */
  public Sessions(LongSupplier nanos) {
    this.nanos = nanos;
  }

  /** Begins a session; the oldest ends if there are too many. Returns its id. */
  synchronized String begin(AccessToken token) {
    byte[] bytes = new byte[ID_BYTES];
    random.nextBytes(bytes);
    String id = Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    if (byDigest.size() >= MOST) {
      Iterator<String> oldest = byDigest.keySet().iterator();
      oldest.next();
      oldest.remove();
    }
    byDigest.put(digest(id), new Session(token, nanos.getAsLong() + LIFETIME.toNanos()));
    return id;
  }

  /** The token of the session with this id, unless it has ended. */
  synchronized Optional<AccessToken> find(String id) {
    String digest = digest(id);
    Session session = byDigest.get(digest);
    if (session != null && session.endsAt - nanos.getAsLong() <= 0) {
      byDigest.remove(digest);
      session = null;
    }
    return Optional.ofNullable(session).map(Session::token);
  }

  /** Ends a session. */
  synchronized void end(String id) {
    byDigest.remove(digest(id));
  }

  private static String digest(String id) {
    return HexFormat.of().formatHex(AccessToken.sha256(id));
  }
}
