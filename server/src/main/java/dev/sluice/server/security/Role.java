package dev.sluice.server.security;

import java.util.Locale;

/** What a caller may do; each role includes those before it. */
public enum Role {
  /** What anybody may do: load the page, log in, ask whether the server is alive. */
  OPEN,
  /** Look at everything. */
  READ,
  /** Submit, cancel, and change limits. */
  OPERATE;

  /** Whether this role may do what that one may. */
  public boolean includes(Role other) {
    return compareTo(other) >= 0;
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
