package dev.sluice.bench.report;

import java.util.Locale;

/** Numbers as people read them: three digits or so, thousands apart, the unit behind. */
public final class Digits {
  private static final String UNKNOWN = "–";
  private static final double MANY = 100;
  private static final double TEN = 10;
  private static final double TENTH = 0.1;
  private static final double THOUSAND = 1_000;
  private static final double MILLION = 1_000_000;

  private Digits() {}

  /** A value: {@code 12,345}, {@code 45.2}, {@code 0.97}, {@code 0.0031}. */
  public static String of(double value) {
    if (!Double.isFinite(value)) {
      return "-";
    }
    double size = Math.abs(value);
    if (size >= MANY || value == Math.rint(value)) {
      return String.format(Locale.ROOT, "%,.0f", value);
    }
    if (size >= TEN) {
      return String.format(Locale.ROOT, "%.1f", value);
    }
    return fraction(value);
  }

  /** A quotient, always with its decimals: {@code 1.00}, {@code 0.97}, {@code 14.2}. */
  public static String ratio(double value) {
    return Double.isFinite(value) && Math.abs(value) < TEN ? fraction(value) : of(value);
  }

  /** A mark on an axis: {@code 500}, {@code 20k}, {@code 1M}. */
  static String mark(double value) {
    double size = Math.abs(value);
    if (size >= MILLION) {
      return trimmed(value / MILLION) + "M";
    }
    return size >= TEN * THOUSAND ? trimmed(value / THOUSAND) + "k" : trimmed(value);
  }

  /** The median with its unit, which is left out where {@code name} says it already. */
  static String median(String name, Figure figure) {
    if (!figure.known()) {
      return UNKNOWN;
    }
    String number = of(figure.median());
    return figure.unit().isEmpty() || name.endsWith(figure.unit())
        ? number
        : number + " " + figure.unit();
  }

  /** From the smallest to the largest; empty for what was measured once, or is unknown. */
  static String spread(Figure figure) {
    return figure.values().size() <= 1 ? "" : of(figure.least()) + "…" + of(figure.most());
  }

  /** The same for quotients. */
  static String ratioSpread(Figure figure) {
    return figure.values().size() <= 1 ? "" : ratio(figure.least()) + "…" + ratio(figure.most());
  }

  /** Two decimals, or two digits where two decimals would say nothing. */
  private static String fraction(double value) {
    double size = Math.abs(value);
    if (size >= TENTH || size == 0) {
      return String.format(Locale.ROOT, "%.2f", value);
    }
    int decimals = Math.min((int) Math.ceil(-Math.log10(size)) + 1, 9);
    return trimmed(String.format(Locale.ROOT, "%." + decimals + "f", value));
  }

  private static String trimmed(double value) {
    return trimmed(String.format(Locale.ROOT, "%,.6f", value));
  }

  private static String trimmed(String decimal) {
    return decimal.replaceFirst("\\.?0+$", "");
  }
}
