package dev.sluice.server.security;

import dev.sluice.InvalidRequestException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A secret that lets its bearer in, with a role and, if it was given one, a name that stands in the
 * log. Immutable. Only a digest of the secret is kept.
 */
public final class AccessToken {
  /** The shortest secret, in characters. */
  public static final int MIN_LENGTH = 16;

  private static final Pattern NAMED =
      Pattern.compile("([A-Za-z][A-Za-z0-9._-]{0,63})=(.*)", Pattern.DOTALL);

  private final String name;
  private final Role role;
  private final byte[] digest;

  private AccessToken(String name, Role role, byte[] digest) {
    this.name = name;
    this.role = role;
    this.digest = digest;
  }

  /**
   * A token: {@code SECRET}, or {@code NAME=SECRET}. What looks like a name before an equals sign
   * is one, so that a name without its secret is never taken for a secret.
   *
   * @throws InvalidRequestException if the secret is shorter than {@value #MIN_LENGTH} characters,
   *     or contains what no header can carry; the message does not show it
   */
  public static AccessToken parse(String text, Role role) {
    Matcher named = NAMED.matcher(text);
    String name = named.matches() ? named.group(1) : role.toString();
    String secret = named.matches() ? named.group(2) : text;
    if (role == Role.OPEN) {
      throw new InvalidRequestException("A token needs the role read or operate.");
    }
    if (secret.length() < MIN_LENGTH) {
      throw new InvalidRequestException(
          "The secret of a %s token has %d characters; use at least %d, for example from 'openssl rand -hex 32'. What stands before a = is a name; a secret with a = in it needs one."
              .formatted(role, secret.length(), MIN_LENGTH));
    }
    if (!secret.chars().allMatch(c -> c > ' ' && c < 127)) {
      throw new InvalidRequestException(
          "The %s token has a blank or a character beyond ASCII, which a header cannot carry."
              .formatted(role));
    }
    return new AccessToken(name, role, sha256(secret));
  }

  /** Its name; without one, its role. */
  public String name() {
    return name;
  }

  /** What its bearer may do. */
  public Role role() {
    return role;
  }

  /** Whether this is the secret; takes as long whatever the answer is. */
  boolean matches(byte[] presentedDigest) {
    return MessageDigest.isEqual(digest, presentedDigest);
  }

  static byte[] sha256(String text) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every Java has SHA-256", e);
    }
  }

  /** The name and role, never the secret. */
  @Override
  public String toString() {
    return name + " (" + role + ")";
  }
}
