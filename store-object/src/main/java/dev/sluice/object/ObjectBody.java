package dev.sluice.object;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The bytes of a put, and whether their writer could tell them from anybody else's.
 *
 * <p>When the answer to a put is lost, reading the object back can only settle the matter if no
 * other writer could have written the same bytes. A writer says so by naming the token that it drew
 * for this write and put into the bytes. A body without a token is never recognised.
 */
final class ObjectBody {
  /** Enough characters that two random tokens do not meet. */
  static final int SHORTEST_TOKEN = 16;

  private final byte[] bytes;
  private final boolean unique;

  private ObjectBody(byte[] bytes, boolean unique) {
    this.bytes = bytes;
    this.unique = unique;
  }

  /**
   * Bytes that hold a token of this one write.
   *
   * @param bytes the content; not to be changed afterwards
   * @param token a random text of at least {@value #SHORTEST_TOKEN} characters, drawn for this
   *     write and found in the bytes as it is
   */
  static ObjectBody withToken(byte[] bytes, String token) {
    if (token.length() < SHORTEST_TOKEN) {
      throw new IllegalArgumentException(
          "The token has %d characters; draw at least %d at random."
              .formatted(token.length(), SHORTEST_TOKEN));
    }
    if (!contains(bytes, token.getBytes(StandardCharsets.UTF_8))) {
      throw new IllegalArgumentException("The token is not in the bytes that it should mark.");
    }
    return new ObjectBody(bytes, true);
  }

  /** Bytes that others may write too. */
  static ObjectBody withoutToken(byte[] bytes) {
    return new ObjectBody(bytes, false);
  }

  /** The content; not to be changed. */
  byte[] bytes() {
    return bytes;
  }

  /** Whether finding these bytes proves that this write was carried out. */
  boolean isUnique() {
    return unique;
  }

  /** Whether the object is what this write made of it. */
  boolean isIn(StoredObject object) {
    return unique && Arrays.equals(bytes, object.body());
  }

  private static boolean contains(byte[] bytes, byte[] part) {
    for (int start = 0; start <= bytes.length - part.length; start++) {
      if (Arrays.equals(bytes, start, start + part.length, part, 0, part.length)) {
        return true;
      }
    }
    return false;
  }
}
