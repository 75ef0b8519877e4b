package dev.sluice.server.security;

import dev.sluice.server.view.Problem;
import java.util.LinkedHashSet;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Decides who is let in. In this order: is the request meant for this server, who makes it, may
 * they do that, does it come from our own page if it comes from a page, and are there not too many.
 *
 * <p>Where no token is configured, the server listens on the loopback address alone and trusts who
 * reaches it; a web page that has its name point there does not, because the {@code Host} header
 * then has that name. Where tokens are configured, the name does not matter: neither the token nor
 * the cookie is sent under another one.
 *
 * <p>A page elsewhere can make a browser send a form here, with cookies if they are not {@code
 * SameSite}. It cannot set a header of its own without asking, and nobody here answers such
 * questions. So every change must carry one.
 */
public final class Gatekeeper {
  /** The header that every change carries. */
  public static final String REQUEST_HEADER = "X-Sluice-Request";

  private static final String BEARER = "bearer ";

  /** How much is let through; failures are wrong tokens, refusals lines in the audit log. */
  public record Bounds(RateBound reads, RateBound writes, RateBound failures, RateBound refusals) {
    private static final double READS_AT_ONCE = 1_000;
    private static final double READS_PER_SECOND = 200;
    private static final double FAILURES_AT_ONCE = 20;
    private static final double FAILURES_PER_SECOND = 1;

    /** So many changes a second, twice as many at once, and the usual of the rest. */
    public static Bounds of(int writesPerSecond) {
      return new Bounds(
          new RateBound(READS_AT_ONCE, READS_PER_SECOND, System::nanoTime),
          new RateBound(2.0 * writesPerSecond, writesPerSecond, System::nanoTime),
          new RateBound(FAILURES_AT_ONCE, FAILURES_PER_SECOND, System::nanoTime),
          new RateBound(FAILURES_AT_ONCE, FAILURES_PER_SECOND, System::nanoTime));
    }
  }

  /**
   * Where the server is.
   *
   * @param name its address, as it stands in a URL
   * @param port its port, once it is known
   * @param hosts names, with ports, that it is reached by besides the usual
   */
  public record Place(String name, IntSupplier port, Set<String> hosts) {}

  private final AccessTokens tokens;
  private final Sessions sessions;
  private final Bounds bounds;
  private final Set<String> names;
  private final Set<String> hosts;
  private final IntSupplier port;

  /** For a server at this place. */
  public Gatekeeper(AccessTokens tokens, Sessions sessions, Bounds bounds, Place place) {
    this.tokens = tokens;
    this.sessions = sessions;
    this.bounds = bounds;
    names =
        Stream.of("localhost", "127.0.0.1", "[::1]", place.name.toLowerCase(Locale.ROOT))
            .collect(Collectors.toCollection(LinkedHashSet::new));
    hosts = place.hosts.stream().map(h -> h.toLowerCase(Locale.ROOT)).collect(Collectors.toSet());
    port = place.port;
  }

  /** Whether callers have to show a token. */
  public boolean demandsTokens() {
    return !tokens.isEmpty();
  }

  /** The name of the cookie. Cookies do not know ports, and other servers may be on this host. */
  public String cookieName() {
    return "sluice_session_" + port.getAsInt();
  }

  /**
   * Lets a caller do something.
   *
   * @throws Problem if they may not, or do it too often
   */
  public void admit(Incoming request, Caller caller, Role needed, boolean write) {
    if (!caller.role().includes(needed)) {
      throw new Problem(
          403,
          "The token '%s' has the role %s; this needs %s."
              .formatted(caller.name(), caller.role(), needed));
    }
    if (write) {
      requireOurPage(request);
      requireRate(bounds.writes, caller.name() + "@" + request.client(), "changes");
    } else if (needed != Role.OPEN) {
      requireRate(bounds.reads, caller.name() + "@" + request.client(), "requests");
    }
  }

  /** Whether a refusal goes on record; whoever is refused all the time must not fill the log. */
  public boolean isWorthALine(Incoming request, Problem refusal) {
    return (refusal.status() == 401 || refusal.status() == 403)
        && bounds.refusals.take(request.client()) == 0;
  }

  private void requireOurName(Incoming request) {
    if (demandsTokens()) {
      return;
    }
    String host = request.header("Host").orElse("").toLowerCase(Locale.ROOT);
    String suffix = port.getAsInt() == 80 ? "" : ":" + port.getAsInt();
    boolean ours =
        hosts.contains(host) || names.stream().anyMatch(name -> host.equals(name + suffix));
    if (!ours) {
      throw new Problem(
          403,
          "This server has no tokens and answers only to %s. For another name, allow it or configure a token."
              .formatted(
                  names.stream().map(name -> name + suffix).collect(Collectors.joining(", "))));
    }
  }

  /**
   * Who makes a request that is meant for this server.
   *
   * @throws Problem if it is not, or if the token is wrong, or missing where one is needed
   */
  public Caller identify(Incoming request, Role needed) {
    requireOurName(request);
    if (!demandsTokens()) {
      return new Caller("local", Role.OPERATE, request.address());
    }
    Optional<String> bearer = bearer(request);
    Optional<AccessToken> token =
        bearer.isPresent()
            ? Optional.of(check(request, bearer.get()))
            : request.cookie(cookieName()).flatMap(sessions::find);
    if (token.isEmpty() && needed != Role.OPEN) {
      throw unauthorized("This needs a token: send 'Authorization: Bearer TOKEN', or log in.");
    }
    return token
        .map(known -> new Caller(known.name(), known.role(), request.address()))
        .orElseGet(() -> Caller.anybody(request.address()));
  }

  private static Optional<String> bearer(Incoming request) {
    return request
        .header("Authorization")
        .filter(value -> value.toLowerCase(Locale.ROOT).startsWith(BEARER))
        .map(value -> value.substring(BEARER.length()).strip());
  }

  /**
   * A token that is known passes whatever others at the same address try: many clients may be
   * behind one, and secrets are too long to be guessed at any rate.
   */
  private AccessToken check(Incoming request, String presented) {
    return tokens
        .find(presented)
        .orElseThrow(
            () -> {
              int wait = bounds.failures.take(request.client());
              return wait > 0
                  ? tooMany("wrong tokens", wait)
                  : unauthorized("This token is not known here.");
            });
  }

  /** Whether who made this request is still known, to be asked long after it was let in. */
  public BooleanSupplier lasting(Incoming request) {
    if (!demandsTokens() || bearer(request).isPresent()) {
      return () -> true;
    }
    Optional<String> session = request.cookie(cookieName());
    return () -> session.flatMap(sessions::find).isPresent();
  }

  private static Problem unauthorized(String detail) {
    return new Problem(401, detail).header("WWW-Authenticate", "Bearer realm=\"sluice\"");
  }

  private static void requireOurPage(Incoming request) {
    Optional<String> site = request.header("Sec-Fetch-Site");
    if (site.isPresent() && !site.get().equals("same-origin")) {
      throw new Problem(403, "This change comes from another site.");
    }
    Optional<String> origin = request.header("Origin");
    if (origin.isPresent() && !isOurs(origin.get(), request.header("Host").orElse(""))) {
      throw new Problem(403, "This change comes from another origin.");
    }
    if (request.header(REQUEST_HEADER).filter("1"::equals).isEmpty()) {
      throw new Problem(403, "A change needs the header '" + REQUEST_HEADER + ": 1'.");
    }
  }

  /** The scheme may differ: something before this server may have taken TLS off. */
  private static boolean isOurs(String origin, String host) {
    return !host.isEmpty()
        && (origin.equalsIgnoreCase("http://" + host)
            || origin.equalsIgnoreCase("https://" + host));
  }

  private static void requireRate(RateBound bound, String client, String what) {
    int wait = bound.take(client);
    if (wait > 0) {
      throw tooMany(what, wait);
    }
  }

  private static Problem tooMany(String what, int seconds) {
    return new Problem(429, "Too many %s; try again in %d s.".formatted(what, seconds))
        .header("Retry-After", String.valueOf(seconds));
  }

  /**
   * Exchanges a token for a session; returns its id.
   *
   * @throws Problem if the token is not known, or too many were not
   */
  public String logIn(Incoming request, String secret) {
    return sessions.begin(check(request, secret));
  }

  /** Ends the session of the request, if it has one. */
  public void logOut(Incoming request) {
    request.cookie(cookieName()).ifPresent(sessions::end);
  }
}
