package dev.sluice.object;

import dev.sluice.InvalidRequestException;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;

/** What a key may be, on every store. */
final class ObjectKeys {
  /** Buckets allow 1,024 bytes; the rest is for the prefix in the store's URL. */
  static final int MAX_BYTES = 900;

  /** The order of lists: by the bytes of UTF-8, which is not that of {@link String#compareTo}. */
  static final Comparator<String> ORDER = ObjectKeys::compare;

  private ObjectKeys() {}

  /**
   * Refuses a key that some store could not keep: one that is empty or longer than {@value
   * #MAX_BYTES} bytes, has an empty, {@code .} or {@code ..} part between its slashes, or has
   * characters that cannot stand in XML.
   *
   * @return the key
   * @throws InvalidRequestException if it is such a key; the message names it
   */
  static String requireValid(String key) {
    int bytes = key.getBytes(StandardCharsets.UTF_8).length;
    if (bytes > MAX_BYTES) {
      throw new InvalidRequestException(
          "The key '%s…' has %d bytes; at most %d are allowed. Shorten the names in it."
              .formatted(key.substring(0, 40), bytes, MAX_BYTES));
    }
    for (String part : key.split("/", -1)) {
      if (part.isEmpty() || part.equals(".") || part.equals("..")) {
        throw new InvalidRequestException(
            "The key '%s' has the part '%s' between its slashes. Leave it out or encode it."
                .formatted(key, part));
      }
    }
    key.codePoints()
        .filter(c -> !isPortable(c))
        .findFirst()
        .ifPresent(
            c -> {
              throw new InvalidRequestException(
                  "The key '%s' has the character U+%04X, which not every store can keep. Encode it."
                      .formatted(key, c));
            });
    return key;
  }

  private static int compare(String a, String b) {
    int common = Math.min(a.length(), b.length());
    for (int i = 0; i < common; i++) {
      if (a.charAt(i) != b.charAt(i)) {
        return rank(a.charAt(i)) - rank(b.charAt(i));
      }
    }
    return a.length() - b.length();
  }

  /** Characters beyond U+FFFF are pairs of surrogates here, and come last in UTF-8. */
  private static int rank(char c) {
    return Character.isSurrogate(c) ? c + Character.MAX_VALUE : c;
  }

  /** The rule of XML 1.0, in which buckets speak of keys, without its line breaks and tabs. */
  private static boolean isPortable(int codePoint) {
    return !Character.isISOControl(codePoint)
        && Character.getType(codePoint) != Character.SURROGATE
        && (codePoint & 0xFFFE) != 0xFFFE;
  }
}
