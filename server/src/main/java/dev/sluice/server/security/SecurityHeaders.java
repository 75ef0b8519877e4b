package dev.sluice.server.security;

import java.util.Map;

/** The headers that every answer carries, whatever it is. */
public final class SecurityHeaders {
  /** By name. */
  public static final Map<String, String> ALL =
      Map.of(
          "Content-Security-Policy",
              "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
                  + " connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none';"
                  + " frame-ancestors 'none'",
          "X-Content-Type-Options", "nosniff",
          "X-Frame-Options", "DENY",
          "Referrer-Policy", "no-referrer",
          "Cross-Origin-Resource-Policy", "same-origin",
          "Cross-Origin-Opener-Policy", "same-origin",
          "Permissions-Policy", "camera=(), geolocation=(), microphone=()");

  private SecurityHeaders() {}
}
