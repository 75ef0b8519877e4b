package dev.sluice.chart;

import java.util.ArrayList;
import java.util.List;

/**
 * What all charts have around them: a background of their own, so that they are legible on any
 * page, a title, a sentence, and below, small, where the figures come from.
 */
public final class ChartFrame {
  /** How wide every chart is. */
  public static final int WIDTH = 820;

  /** How much of that is left empty on each side. */
  public static final int MARGIN = 24;

  /** The colour of what is to be read. */
  public static final String INK = "#1f2430";

  /** The colour of what is small beside it. */
  public static final String FAINT = "#5b6472";

  /** The colour of lines in the background. */
  public static final String GRID = "#dfe3ea";

  private static final int TITLE_BASELINE = 36;
  private static final int LINE = 17;
  private static final int CAPTION_LINE = 14;
  private static final int GAP = 18;
  private static final int SUMMARY_COLUMNS = 104;
  private static final int CAPTION_COLUMNS = 120;

  private final String title;
  private final List<String> summary;
  private final List<String> caption;

  /**
   * A frame.
   *
   * @param title what the chart shows
   * @param summary a sentence about it
   * @param caption where its figures come from, in paragraphs
   */
  public ChartFrame(String title, String summary, List<String> caption) {
    this.title = title;
    this.summary = wrapped(summary, SUMMARY_COLUMNS);
    this.caption =
        caption.stream().flatMap(text -> wrapped(text, CAPTION_COLUMNS).stream()).toList();
  }

  /** Where the drawing may begin. */
  public int top() {
    return TITLE_BASELINE + LINE * summary.size() + GAP;
  }

  /** Begins a picture whose drawing ends at {@code bottom}. */
  public Svg begin(int bottom) {
    int height = bottom + GAP + CAPTION_LINE * caption.size() + GAP / 2;
    Svg svg = new Svg(WIDTH, height, title);
    svg.empty(
        "rect x='0.5' y='0.5' width='%s' height='%s' rx='8' fill='#ffffff' stroke='#c9ced8'",
        WIDTH - 1, height - 1);
    svg.open("g font-family='%s'", "system-ui, 'Segoe UI', Helvetica, Arial, sans-serif");
    svg.text(
        title,
        "text x='%s' y='%s' font-size='18' font-weight='600' fill='%s'",
        MARGIN,
        TITLE_BASELINE,
        INK);
    lines(svg, summary, TITLE_BASELINE + LINE + 4, LINE, 13);
    lines(svg, caption, bottom + GAP + CAPTION_LINE / 2, CAPTION_LINE, 11);
    return svg;
  }

  /** Ends a picture. */
  public static String finish(Svg svg) {
    return svg.close("g").finish();
  }

  private static void lines(Svg svg, List<String> lines, int baseline, int height, int size) {
    int y = baseline;
    for (String line : lines) {
      svg.text(line, "text x='%s' y='%s' font-size='%s' fill='%s'", MARGIN, y, size, FAINT);
      y += height;
    }
  }

  /** A text in lines of so many characters, broken between words. */
  private static List<String> wrapped(String text, int columns) {
    List<String> lines = new ArrayList<>();
    StringBuilder line = new StringBuilder();
    for (String word : text.strip().split("\\s+")) {
      if (!line.isEmpty() && line.length() + 1 + word.length() > columns) {
        lines.add(line.toString());
        line.setLength(0);
      }
      line.append(line.isEmpty() ? "" : " ").append(word);
    }
    if (!line.isEmpty()) {
      lines.add(line.toString());
    }
    return lines;
  }
}
