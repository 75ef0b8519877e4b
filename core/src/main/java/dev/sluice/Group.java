package dev.sluice;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.Optional;

/**
 * The name of a concurrency group: what a limit applies to.
 *
 * <p>A group is either <em>plain</em> (a task's own group, or a name chosen at submit), or
 * <em>keyed</em> under a plain one: {@code task/key} or {@code task/dimension=value}. A
 * <em>family</em> stands for all keys of one kind: {@code task/*} or {@code task/dimension=*}; a
 * limit set on a family applies to each of its groups by itself.
 *
 * <p>Parts may hold any characters. In the canonical form, which is what is stored, printed and
 * parsed, the characters {@code / = % *} and control characters inside a part are percent-escaped,
 * so two different groups never have the same name, whatever their parts contain. Immutable.
 */
public final class Group implements Comparable<Group> {
  /** The longest canonical name a group may have, in characters. */
  public static final int MAX_LENGTH = 512;

  private static final String ANY = "*";

  private final String canonical;

  private Group(String canonical) {
    if (canonical.length() > MAX_LENGTH) {
      throw new InvalidRequestException(
          "The group name '%s…' has %d characters; at most %d are allowed. Use a shorter key, for example a hash of it."
              .formatted(canonical.substring(0, 40), canonical.length(), MAX_LENGTH));
    }
    this.canonical = canonical;
  }

  /**
   * The plain group of this name: a task's own group, or one named at submit.
   *
   * @throws InvalidRequestException if the name is empty or too long
   */
  public static Group of(String name) {
    return new Group(escape("group name", name));
  }

  /**
   * The group keyed by {@code key} under this plain group: {@code name/key}.
   *
   * @throws InvalidRequestException if this group is keyed already, or the key is empty or too long
   */
  public Group key(String key) {
    return new Group(requirePlain() + "/" + escape("concurrency key", key));
  }

  /** The group of one value of a dimension under this plain group: {@code name/dimension=value}. */
  public Group dimension(String dimension, String value) {
    return new Group(
        requirePlain()
            + "/"
            + escape("dimension", dimension)
            + "="
            + escape("value of dimension", value));
  }

  /** The family of all keys under this plain group: {@code name/*}. */
  public Group anyKey() {
    return new Group(requirePlain() + "/" + ANY);
  }

  /** The family of all values of a dimension under this plain group: {@code name/dimension=*}. */
  public Group anyValueOf(String dimension) {
    return new Group(requirePlain() + "/" + escape("dimension", dimension) + "=" + ANY);
  }

  /**
   * Reads a canonical name, as printed by {@link #toString()}, the command line and {@code status}.
   *
   * @throws InvalidRequestException if the text is not the canonical form of any group; the message
   *     shows one that is
   */
  public static Group parse(String canonical) {
    Objects.requireNonNull(canonical, "group");
    int end = canonical.length();
    int slash = canonical.indexOf('/');
    boolean valid = isEscaped(canonical, 0, slash < 0 ? end : slash);
    if (valid && slash >= 0) {
      int equals = canonical.indexOf('=', slash);
      int last = Math.max(slash, equals) + 1;
      valid =
          ((last == end - 1 && canonical.endsWith(ANY)) || isEscaped(canonical, last, end))
              && (equals < 0 || isEscaped(canonical, slash + 1, equals));
    }
    if (!valid) {
      throw new InvalidRequestException(
          "'%s' is not a group name. Write TASK, TASK/KEY, TASK/DIMENSION=VALUE or TASK/*, with / = %% * inside a part"
                  .formatted(canonical.length() > 80 ? canonical.substring(0, 80) + "…" : canonical)
              + " as %2F %3D %25 %2A"
              + (canonical.isEmpty() || canonical.length() > MAX_LENGTH
                  ? "."
                  : "; as one plain name: " + of(canonical) + "."));
    }
    return new Group(canonical);
  }

  /** Whether this stands for all keys or all values of a dimension. */
  public boolean isFamily() {
    return canonical.endsWith("/" + ANY) || canonical.endsWith("=" + ANY);
  }

  /** Whether this stands for all values of a dimension: {@code name/dimension=*}. */
  public boolean isDimension() {
    return canonical.endsWith("=" + ANY);
  }

  /**
   * The group of one value of the dimension that this stands for.
   *
   * @throws InvalidRequestException if this is no such family, or the value is empty or too long
   */
  public Group value(String value) {
    if (!isDimension()) {
      throw new InvalidRequestException(
          "'"
              + canonical
              + "' does not stand for the values of a dimension; NAME/DIMENSION=* does.");
    }
    return new Group(
        canonical.substring(0, canonical.length() - ANY.length())
            + escape("value of dimension", value));
  }

  /** The family this keyed group belongs to; empty for plain groups and families. */
  public Optional<Group> family() {
    int slash = canonical.indexOf('/');
    if (slash < 0 || isFamily()) {
      return Optional.empty();
    }
    int equals = canonical.indexOf('=', slash);
    return Optional.of(
        new Group(canonical.substring(0, equals < 0 ? slash + 1 : equals + 1) + ANY));
  }

  /** The plain group this one is keyed under; itself if plain. */
  public Group plain() {
    int slash = canonical.indexOf('/');
    return slash < 0 ? this : new Group(canonical.substring(0, slash));
  }

  /** The name of the plain group this one is keyed under, as it was given, unescaped. */
  public String plainName() {
    return URLDecoder.decode(plain().canonical.replace("+", "%2B"), StandardCharsets.UTF_8);
  }

  @Override
  public int compareTo(Group other) {
    return canonical.compareTo(other.canonical);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Group group && group.canonical.equals(canonical);
  }

  @Override
  public int hashCode() {
    return canonical.hashCode();
  }

  /** The canonical name. */
  @Override
  public String toString() {
    return canonical;
  }

  private String requirePlain() {
    if (canonical.indexOf('/') >= 0) {
      throw new InvalidRequestException(
          "The group '" + canonical + "' is keyed already; only a plain group can be keyed.");
    }
    return canonical;
  }

  private static boolean isReserved(char c) {
    return c == '/' || c == '=' || c == '%' || c == '*' || Character.isISOControl(c);
  }

  private static String escape(String what, String part) {
    Objects.requireNonNull(part, what);
    if (part.isEmpty()) {
      throw new InvalidRequestException(
          "The " + what + " is empty; give it at least one character.");
    }
    if (part.length() > MAX_LENGTH) {
      throw new InvalidRequestException(
          "The %s '%s…' has %d characters; at most %d are allowed. Use a shorter one, for example a hash of it."
              .formatted(what, part.substring(0, 40), part.length(), MAX_LENGTH));
    }
    if (isPlain(part)) {
      return part;
    }
    StringBuilder escaped = new StringBuilder(part.length() + 8);
    for (int i = 0; i < part.length(); i++) {
      char c = part.charAt(i);
      if (Character.isSurrogate(c) && !isPaired(part, i)) {
        throw new InvalidRequestException(
            "The " + what + " holds half of a surrogate pair; it is not valid text.");
      } else if (isReserved(c)) {
        for (byte b : String.valueOf(c).getBytes(StandardCharsets.UTF_8)) {
          escaped.append('%').append("%02X".formatted(b & 0xff));
        }
      } else {
        escaped.append(c);
      }
    }
    return escaped.toString();
  }

  /** Whether nothing in it is to be escaped, nor to be looked at more closely. */
  private static boolean isPlain(String part) {
    for (int i = 0; i < part.length(); i++) {
      char c = part.charAt(i);
      if (isReserved(c) || Character.isSurrogate(c)) {
        return false;
      }
    }
    return true;
  }

  private static boolean isPaired(String part, int i) {
    return Character.isHighSurrogate(part.charAt(i))
        ? i + 1 < part.length() && Character.isLowSurrogate(part.charAt(i + 1))
        : i > 0 && Character.isHighSurrogate(part.charAt(i - 1));
  }

  /** Whether a part of a name, from the one index to the other, is escaped as it should be. */
  private static boolean isEscaped(String name, int from, int to) {
    for (int i = from; i < to; i++) {
      char c = name.charAt(i);
      if (c == '%') {
        if (i + 2 >= to || !name.substring(i + 1, i + 3).matches("[0-9A-F]{2}")) {
          return false;
        }
        i += 2;
      } else if (isReserved(c)) {
        return false;
      }
    }
    return from < to;
  }
}
