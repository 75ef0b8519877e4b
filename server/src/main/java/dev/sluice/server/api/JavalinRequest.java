package dev.sluice.server.api;

import dev.sluice.server.security.Incoming;
import io.javalin.http.Context;
import java.util.Optional;

/**
 * A request as the gatekeeper sees it. Forwarded headers are not looked at: anybody can send them.
 */
record JavalinRequest(Context context) implements Incoming {
  @Override
  public Optional<String> header(String name) {
    return Optional.ofNullable(context.header(name));
  }

  @Override
  public Optional<String> cookie(String name) {
    return Optional.ofNullable(context.cookie(name));
  }

  @Override
  public String address() {
    return context.req().getRemoteAddr();
  }
}
