package dev.sluice.server.security;

/**
 * Who makes a request.
 *
 * @param name the name of the token, or {@code local} where none is needed
 * @param role what the caller may do
 * @param address where the request comes from
 */
public record Caller(String name, Role role, String address) {
  /** Somebody of whom nothing is known. */
  public static Caller anybody(String address) {
    return new Caller("anybody", Role.OPEN, address);
  }

  /** As what changes stand in the log. */
  public String actor() {
    return "api:" + name + "@" + address;
  }
}
