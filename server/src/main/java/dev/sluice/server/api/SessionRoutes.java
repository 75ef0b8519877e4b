package dev.sluice.server.api;

import dev.sluice.server.live.EventFeed;
import dev.sluice.server.security.Caller;
import dev.sluice.server.security.Gatekeeper;
import dev.sluice.server.security.Role;
import dev.sluice.server.security.Sessions;
import dev.sluice.server.view.Problem;
import java.util.List;
import java.util.Map;

/** Lets a browser exchange a token for a cookie that no script can read. */
final class SessionRoutes {
  private static final String TAG = "session";

  /** The token to exchange. */
  record LoginRequest(String token) {}

  /** Who one is here; auth says whether tokens are needed at all. */
  record SessionView(String role, boolean auth, String actor) {}

  private final Gatekeeper gatekeeper;
  private final EventFeed feed;
  private final boolean secure;

  SessionRoutes(Routes.Parts parts) {
    gatekeeper = parts.gatekeeper();
    feed = parts.feed();
    secure = parts.secureCookies();
  }

  List<Route> routes() {
    return List.of(
        Route.get("/api/v1/session")
            .says(TAG, "Who one is here.")
            .answers(SessionView.class, "The caller.")
            .run(call -> Answer.ok(view(call.caller()))),
        Route.post("/api/v1/session")
            .open()
            .says(TAG, "Exchange a token for a cookie.")
            .takesBody(LoginRequest.class)
            .answers(Reply.empty(204, "The cookie is set."))
            .run(this::logIn),
        Route.delete("/api/v1/session")
            .open()
            .says(TAG, "Give the cookie back.")
            .answers(Reply.empty(204, "It is worth nothing any more."))
            .run(this::logOut));
  }

  private SessionView view(Caller caller) {
    Role role = caller.role();
    return new SessionView(role.toString(), gatekeeper.demandsTokens(), caller.actor());
  }

  private Answer logIn(Call call) throws Exception {
    if (!gatekeeper.demandsTokens()) {
      throw Problem.conflict("This server has no tokens; nobody needs to log in.");
    }
    String id = gatekeeper.logIn(call.incoming(), call.body(LoginRequest.class).token);
    return Answer.empty(204, cookie(id, Sessions.LIFETIME.toSeconds()));
  }

  private Answer logOut(Call call) {
    gatekeeper.logOut(call.incoming());
    feed.endForbidden();
    return Answer.empty(204, cookie("", 0));
  }

  private Map<String, String> cookie(String value, long seconds) {
    return Map.of(
        "Set-Cookie",
        "%s=%s; Path=/; Max-Age=%d; HttpOnly; SameSite=Strict%s"
            .formatted(gatekeeper.cookieName(), value, seconds, secure ? "; Secure" : ""));
  }
}
