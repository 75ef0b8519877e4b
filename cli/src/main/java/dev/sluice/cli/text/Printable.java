package dev.sluice.cli.text;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jline.utils.WCWidth;

/**
 * Text that is safe to print in a table, and how wide it is. Names, notes and messages come from
 * anyone: what would move the cursor or break the line is made visible instead.
 */
public final class Printable {
  private static final Pattern COLOUR = Pattern.compile("\u001b\\[[0-9;]*m");
  private static final int MOST_FURTHER_LINES = 8;
  private static final int BIDI_EMBED_FIRST = 0x202A;
  private static final int BIDI_EMBED_LAST = 0x202E;
  private static final int BIDI_ISOLATE_FIRST = 0x2066;
  private static final int BIDI_ISOLATE_LAST = 0x2069;

  private Printable() {}

  /** The text with control characters and direction overrides shown as escapes. */
  public static String of(String text) {
    StringBuilder printable = new StringBuilder(text.length());
    text.codePoints()
        .forEach(
            c -> {
              if (c == '\n') {
                printable.append("\\n");
              } else if (c == '\t') {
                printable.append("\\t");
              } else if (isUnsafe(c)) {
                printable.append("\\u%04x".formatted(c));
              } else {
                printable.appendCodePoint(c);
              }
            });
    return printable.toString();
  }

  /** The same, with line breaks and tabs left alone: for messages that have several lines. */
  public static String lines(String text) {
    StringBuilder printable = new StringBuilder(text.length());
    for (String line : text.split("\n", -1)) {
      printable.append(printable.isEmpty() ? "" : "\n");
      printable.append(of(line.replace("\r", "").replace("\t", "    ")));
    }
    return printable.toString();
  }

  /**
   * A message as a remark: its first line, and of those that follow the last few, indented so that
   * they are not taken for remarks of their own.
   */
  public static String message(String text) {
    List<String> lines = lines(text.strip()).lines().filter(line -> !line.isBlank()).toList();
    if (lines.isEmpty()) {
      return "";
    }
    StringBuilder message = new StringBuilder(lines.get(0));
    int from = Math.max(1, lines.size() - MOST_FURTHER_LINES);
    if (from > 1) {
      message.append("\n  …");
    }
    lines.subList(from, lines.size()).forEach(line -> message.append("\n  ").append(line));
    return message.toString();
  }

  private static boolean isUnsafe(int c) {
    return Character.isISOControl(c)
        || (c >= BIDI_EMBED_FIRST && c <= BIDI_EMBED_LAST)
        || (c >= BIDI_ISOLATE_FIRST && c <= BIDI_ISOLATE_LAST)
        || Character.getType(c) == Character.SURROGATE;
  }

  /** How many columns the text takes, colour codes aside. */
  static int width(String text) {
    return COLOUR
        .matcher(text)
        .replaceAll("")
        .codePoints()
        .map(c -> Math.max(0, WCWidth.wcwidth(c)))
        .sum();
  }

  /** The text cut to fit; uncoloured text only. */
  static String cut(String text, int width, String ellipsis) {
    if (width(text) <= width) {
      return text;
    }
    StringBuilder cut = new StringBuilder();
    int used = 0;
    for (int c : text.codePoints().toArray()) {
      int columns = Math.max(0, WCWidth.wcwidth(c));
      if (used + columns > width - 1) {
        break;
      }
      cut.appendCodePoint(c);
      used += columns;
    }
    return cut + ellipsis;
  }

  /** The text cut to this many columns; colours are kept, and end where it ends. */
  public static String clip(String text, int width) {
    if (width(text) <= width) {
      return text;
    }
    StringBuilder clipped = new StringBuilder();
    Matcher colour = COLOUR.matcher(text);
    int used = 0;
    for (int i = 0; i < text.length(); ) {
      if (colour.find(i) && colour.start() == i) {
        clipped.append(colour.group());
        i = colour.end();
        continue;
      }
      int c = text.codePointAt(i);
      used += Math.max(0, WCWidth.wcwidth(c));
      if (used > width) {
        break;
      }
      clipped.appendCodePoint(c);
      i += Character.charCount(c);
    }
    return clipped.indexOf("\u001b") < 0 ? clipped.toString() : clipped + "\u001b[0m";
  }
}
