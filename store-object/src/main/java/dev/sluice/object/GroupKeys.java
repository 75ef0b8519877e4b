package dev.sluice.object;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * The keys of what is shown about groups. A group is one part of a key, whatever its name holds:
 * everything but letters, digits, hyphen and underscore is percent-encoded, so the name can be read
 * back. A name that would be too long for a key is cut, and told from others by its hash; the whole
 * name is in the object.
 */
final class GroupKeys {
  static final String PREFIX = "concurrency/";
  private static final int LONGEST = 300;

  private GroupKeys() {}

  static String slot(String group, int slot) {
    return PREFIX + encode(group) + "/slots/" + slot;
  }

  /** Whether this is the key of a slot. */
  static boolean isSlot(String key) {
    return key.startsWith(PREFIX) && key.matches("[^/]+/[^/]+/slots/[0-9]+");
  }

  static String limit(String group) {
    return PREFIX + encode(group) + "/limit.json";
  }

  static String encode(String group) {
    StringBuilder encoded = new StringBuilder();
    for (byte b : group.getBytes(StandardCharsets.UTF_8)) {
      char c = (char) (b & 0xff);
      if ((c >= 'a' && c <= 'z')
          || (c >= 'A' && c <= 'Z')
          || (c >= '0' && c <= '9')
          || c == '-'
          || c == '_') {
        encoded.append(c);
      } else {
        encoded.append("%%%02X".formatted((int) c));
      }
    }
    return encoded.length() <= LONGEST
        ? encoded.toString()
        : encoded.substring(0, LONGEST) + "~" + hash(group);
  }

  private static String hash(String group) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(group.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(digest);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every Java has SHA-256", e);
    }
  }
}
