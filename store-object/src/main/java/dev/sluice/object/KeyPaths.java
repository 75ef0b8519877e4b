package dev.sluice.object;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/**
 * Where an object's file is, and which object a file is: the parts of a key become folders, so that
 * people find their way, and its last part a file.
 *
 * <ul>
 *   <li>Letters, digits, and {@code - _ = .} stand for themselves; everything else, and a dot at
 *       the start, is {@code %} and the two digits of each byte of UTF-8.
 *   <li>A file ends in {@code .object}. A folder never does (its dot is encoded), so {@code a} and
 *       {@code a/b} can both exist.
 *   <li>A name that would be longer than file systems allow is cut into folders that end in {@code
 *       +}, which says that the name goes on inside.
 * </ul>
 *
 * Two keys never share a file, and a name that no key leads to is none of ours.
 */
final class KeyPaths {
  private static final String FILE = ".object";
  private static final String GOES_ON = "+";
  private static final int LONGEST_NAME = 200;
  private static final HexFormat HEX = HexFormat.of().withUpperCase();

  private final Path root;

  KeyPaths(Path root) {
    this.root = root;
  }

  /** The file of this key. */
  Path file(String key) {
    int slash = key.lastIndexOf('/');
    List<String> names = names(key.substring(slash + 1));
    String last = names.remove(names.size() - 1);
    Path folder = folder(key.substring(0, slash + 1));
    for (String name : names) {
      folder = folder.resolve(name);
    }
    return folder.resolve(last + FILE);
  }

  /**
   * The folder below which all keys with this prefix are.
   *
   * @param prefix empty, or ending in a slash
   */
  Path folder(String prefix) {
    Path folder = root;
    for (String part : prefix.isEmpty() ? new String[0] : prefix.split("/")) {
      for (String name : names(part)) {
        folder = folder.resolve(asFolder(name));
      }
    }
    return folder;
  }

  /** What a name in a folder stands for, or empty if it is none of ours. */
  static Optional<Entry> entry(String name) {
    Kind kind =
        name.endsWith(FILE) ? Kind.OBJECT : name.endsWith(GOES_ON) ? Kind.NAME : Kind.FOLDER;
    String encoded = name.substring(0, name.length() - kind.suffix.length());
    return decode(encoded)
        .filter(text -> kind.nameOf(text).equals(name))
        .map(text -> new Entry(kind, kind == Kind.FOLDER ? text + "/" : text));
  }

  /**
   * What stands in a folder.
   *
   * @param kind what it is
   * @param text what it adds to the key
   */
  record Entry(Kind kind, String text) {}

  /** What a name in a folder can stand for. */
  enum Kind {
    /** A file with an object. */
    OBJECT(FILE),
    /** A folder that ends a part of the key. */
    FOLDER(""),
    /** A folder in which a long part of the key goes on. */
    NAME(GOES_ON);

    private final String suffix;

    Kind(String suffix) {
      this.suffix = suffix;
    }

    private String nameOf(String text) {
      StringBuilder encoded = new StringBuilder();
      text.codePoints().forEach(c -> encoded.append(encode(c, encoded.isEmpty())));
      String name = encoded + suffix;
      return this == FOLDER ? asFolder(name) : name;
    }
  }

  /** The encoded part, cut where it would be too long; all but the last end in a plus. */
  private static List<String> names(String part) {
    List<String> names = new ArrayList<>();
    StringBuilder name = new StringBuilder();
    for (int c : part.codePoints().toArray()) {
      String next = encode(c, name.isEmpty());
      if (name.length() + next.length() > LONGEST_NAME) {
        names.add(name + GOES_ON);
        name.setLength(0);
        next = encode(c, true);
      }
      name.append(next);
    }
    names.add(name.toString());
    return names;
  }

  private static String asFolder(String name) {
    return name.endsWith(FILE)
        ? name.substring(0, name.length() - FILE.length()) + "%2E" + FILE.substring(1)
        : name;
  }

  private static String encode(int codePoint, boolean first) {
    if (isPlain(codePoint) || (codePoint == '.' && !first)) {
      return Character.toString(codePoint);
    }
    StringBuilder encoded = new StringBuilder();
    for (byte b : Character.toString(codePoint).getBytes(StandardCharsets.UTF_8)) {
      encoded.append('%');
      HEX.toHexDigits(encoded, b);
    }
    return encoded.toString();
  }

  private static boolean isPlain(int c) {
    return (c >= 'a' && c <= 'z')
        || (c >= 'A' && c <= 'Z')
        || (c >= '0' && c <= '9')
        || c == '-'
        || c == '_'
        || c == '=';
  }

  private static Optional<String> decode(String encoded) {
    var bytes = new ByteArrayOutputStream();
    for (int i = 0; i < encoded.length(); i++) {
      char c = encoded.charAt(i);
      if (c != '%') {
        bytes.write(c);
      } else if (i + 2 < encoded.length()
          && HexFormat.isHexDigit(encoded.charAt(i + 1))
          && HexFormat.isHexDigit(encoded.charAt(i + 2))) {
        bytes.write(HexFormat.fromHexDigits(encoded, i + 1, i + 3));
        i += 2;
      } else {
        return Optional.empty();
      }
    }
    try {
      String text =
          StandardCharsets.UTF_8
              .newDecoder()
              .decode(ByteBuffer.wrap(bytes.toByteArray()))
              .toString();
      return text.isEmpty() ? Optional.empty() : Optional.of(text);
    } catch (CharacterCodingException notOurs) {
      return Optional.empty();
    }
  }
}
