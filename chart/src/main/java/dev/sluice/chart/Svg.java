package dev.sluice.chart;

import java.util.Locale;
import java.util.stream.Stream;

/**
 * Writes an SVG picture, element by element. An element is given as it stands in the file, without
 * its brackets and with {@code %s} for values: numbers get one decimal at most, text is escaped.
 * Not thread-safe.
 */
public final class Svg {
  private final StringBuilder text = new StringBuilder();
  private int depth;

  /** Begins a picture of this size; {@code title} is what a screen reader says. */
  public Svg(int width, int height, String title) {
    open(
        "svg xmlns='http://www.w3.org/2000/svg' width='%s' height='%s' viewBox='0 0 %s %s' role='img'",
        width, height, width, height);
    text(title, "title");
  }

  /** Begins an element that holds others. */
  public Svg open(String element, Object... values) {
    indent().append('<').append(filled(element, values)).append(">\n");
    depth++;
    return this;
  }

  /** Ends an element that holds others. */
  public Svg close(String name) {
    depth--;
    indent().append("</").append(name).append(">\n");
    return this;
  }

  /** An element without content. */
  public Svg empty(String element, Object... values) {
    indent().append('<').append(filled(element, values)).append("/>\n");
    return this;
  }

  /** An element with text. */
  public Svg text(String content, String element, Object... values) {
    indent().append('<').append(filled(element, values)).append('>').append(escaped(content));
    text.append("</").append(element.split(" ", 2)[0]).append(">\n");
    return this;
  }

  /** Ends the picture. */
  public String finish() {
    close("svg");
    return text.toString();
  }

  /** Text that XML takes for text, in content and in attributes. */
  public static String escaped(String text) {
    StringBuilder escaped = new StringBuilder();
    text.codePoints()
        .forEach(
            c -> {
              switch (c) {
                case '&' -> escaped.append("&amp;");
                case '<' -> escaped.append("&lt;");
                case '>' -> escaped.append("&gt;");
                case '"' -> escaped.append("&quot;");
                case '\'' -> escaped.append("&apos;");
                default -> escaped.appendCodePoint(isAllowed(c) ? c : '\uFFFD');
              }
            });
    return escaped.toString();
  }

  private static boolean isAllowed(int c) {
    return c == '\n' || c == '\t' || (c >= ' ' && !Character.isISOControl(c) && isCharacter(c));
  }

  private static boolean isCharacter(int c) {
    return Character.getType(c) != Character.SURROGATE && c != '\uFFFE' && c != '\uFFFF';
  }

  private StringBuilder indent() {
    return text.append("  ".repeat(depth));
  }

  private static String filled(String element, Object... values) {
    return element.formatted(Stream.of(values).map(v -> escaped(value(v))).toArray());
  }

  /** A value as an attribute takes it. */
  public static String value(Object value) {
    return value instanceof Double number
        ? String.format(Locale.ROOT, "%.1f", number).replaceFirst("\\.0$", "")
        : value.toString();
  }
}
