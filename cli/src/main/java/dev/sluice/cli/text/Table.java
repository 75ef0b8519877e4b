package dev.sluice.cli.text;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Rows under headings, each column as wide as its widest cell. When that is wider than the screen,
 * the column marked as flexible gives way, and its cells are cut. Not thread-safe.
 */
public final class Table {
  private static final String GAP = "  ";
  private static final int NARROWEST_FLEXIBLE = 8;

  private final Style style;
  private final List<String> headings = new ArrayList<>();
  private final List<Boolean> right = new ArrayList<>();
  private final List<List<String>> rows = new ArrayList<>();
  private int flexible = -1;

  public Table(Style style) {
    this.style = style;
  }

  /** A column of text. */
  public Table left(String heading) {
    headings.add(heading);
    right.add(false);
    return this;
  }

  /** A column of numbers. */
  public Table right(String heading) {
    headings.add(heading);
    right.add(true);
    return this;
  }

  /** A column of text that is cut when there is no room; its cells carry no colour. */
  public Table flexible(String heading) {
    flexible = headings.size();
    return left(heading);
  }

  /** A row, with a cell for each column; the caller has made foreign text {@link Printable}. */
  public Table row(String... cells) {
    if (cells.length != headings.size()) {
      throw new IllegalArgumentException(
          cells.length + " cells for " + headings.size() + " columns");
    }
    rows.add(Arrays.asList(cells));
    return this;
  }

  /** Whether there is no row. */
  public boolean isEmpty() {
    return rows.isEmpty();
  }

  /** The lines, headings first, none wider than {@code width} where the flexible column allows. */
  public List<String> lines(int width) {
    int[] widths = new int[headings.size()];
    for (int column = 0; column < widths.length; column++) {
      widths[column] = Printable.width(headings.get(column));
      for (List<String> row : rows) {
        widths[column] = Math.max(widths[column], Printable.width(row.get(column)));
      }
    }
    long total = Arrays.stream(widths).sum() + (long) GAP.length() * (widths.length - 1);
    if (flexible >= 0 && total > width) {
      long room = Math.max(NARROWEST_FLEXIBLE, widths[flexible] - (total - width));
      widths[flexible] = (int) Math.min(widths[flexible], room);
    }
    List<String> lines = new ArrayList<>();
    lines.add(style.bold(line(headings, widths)));
    for (List<String> row : rows) {
      lines.add(line(row, widths));
    }
    return lines;
  }

  private String line(List<String> cells, int[] widths) {
    StringBuilder line = new StringBuilder();
    for (int column = 0; column < widths.length; column++) {
      String cell = cells.get(column);
      if (column == flexible) {
        cell = Printable.cut(cell, widths[column], style.ellipsis());
      }
      String padding = " ".repeat(Math.max(0, widths[column] - Printable.width(cell)));
      line.append(column == 0 ? "" : GAP)
          .append(right.get(column) ? padding + cell : cell + padding);
    }
    return line.toString().stripTrailing();
  }
}
