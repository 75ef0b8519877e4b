package dev.sluice.server.security;

import java.util.List;
import java.util.Optional;

/** The tokens that are accepted. */
public final class AccessTokens {
  private final List<AccessToken> tokens;

  /** These; none = everybody on this machine may do everything. */
  public AccessTokens(List<AccessToken> tokens) {
    this.tokens = List.copyOf(tokens);
  }

  /** Whether there is none. */
  public boolean isEmpty() {
    return tokens.isEmpty();
  }

  /** The token with this secret. Looks at every token, so that time tells nothing. */
  Optional<AccessToken> find(String presented) {
    byte[] digest = AccessToken.sha256(presented);
    AccessToken found = null;
    for (AccessToken token : tokens) {
      if (token.matches(digest)) {
        found = token;
      }
    }
    return Optional.ofNullable(found);
  }
}
