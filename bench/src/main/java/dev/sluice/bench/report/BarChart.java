package dev.sluice.bench.report;

import dev.sluice.chart.Axis;
import dev.sluice.chart.ChartFrame;
import dev.sluice.chart.Palette;
import dev.sluice.chart.Svg;
import java.util.List;
import java.util.Optional;

/**
 * A section as a picture: a bar for the median of each subject, with a whisker from its least to
 * its most.
 */
public final class BarChart {
  private static final int ROW = 32;
  private static final int BAR = 18;
  private static final int AXIS_HEIGHT = 46;
  private static final int VALUE_WIDTH = 64;
  private static final int WHISKER_END = 4;
  private static final int LABEL_GAP = 10;
  private static final double LETTER = 7.7;
  private static final int LONGEST_LABEL = 46;

  private final ChartFrame frame;
  private final String figure;
  private final List<Subject> subjects;
  private final Axis axis;
  private final double left;

  private BarChart(ChartFrame frame, String figure, List<Subject> subjects) {
    this.frame = frame;
    this.figure = figure;
    this.subjects = subjects;
    this.axis =
        Axis.linear(
            subjects.stream().mapToDouble(s -> s.figures().get(figure).most()).max().orElse(0));
    int longest = subjects.stream().mapToInt(s -> cut(s.name()).length()).max().orElse(0);
    this.left = ChartFrame.MARGIN + longest * LETTER + LABEL_GAP;
  }

  /**
   * The chart of a section: of the throughput, or else of the first figure it has. Empty if nothing
   * was measured.
   */
  public static Optional<String> draw(Section section, Report report) {
    List<String> names = section.figureNames();
    if (names.isEmpty()) {
      return Optional.empty();
    }
    String figure =
        names.contains(Subject.JOBS_PER_SECOND) ? Subject.JOBS_PER_SECOND : names.get(0);
    List<Subject> shown =
        section.subjects().stream().filter(s -> s.figures().containsKey(figure)).toList();
    ChartFrame frame = new ChartFrame(section.name(), section.summary(), report.caption());
    return Optional.of(new BarChart(frame, figure, shown).draw());
  }

  private String draw() {
    int top = frame.top();
    int bottom = top + ROW * subjects.size();
    Svg svg = frame.begin(bottom + AXIS_HEIGHT);
    drawGrid(svg, top, bottom);
    for (int i = 0; i < subjects.size(); i++) {
      drawBar(svg, subjects.get(i), top + ROW * i + ROW / 2);
    }
    return ChartFrame.finish(svg);
  }

  private void drawGrid(Svg svg, int top, int bottom) {
    svg.open("g font-size='12' fill='%s' text-anchor='middle'", ChartFrame.FAINT);
    for (double mark : axis.marks()) {
      double x = x(mark);
      svg.empty(
          "line x1='%s' y1='%s' x2='%s' y2='%s' stroke='%s'",
          x, top, x, bottom + 4, ChartFrame.GRID);
      svg.text(Digits.mark(mark), "text x='%s' y='%s'", x, bottom + 19);
    }
    svg.empty(
        "line x1='%s' y1='%s' x2='%s' y2='%s' stroke='%s'",
        left, top, left, bottom + 4, ChartFrame.FAINT);
    svg.text(
        label(),
        "text x='%s' y='%s'",
        x(axis.marks().get(axis.marks().size() - 1) / 2),
        bottom + 38);
    svg.close("g");
  }

  private String label() {
    Figure any = subjects.get(0).figures().get(figure);
    String unit = any.unit().isEmpty() || figure.endsWith(any.unit()) ? "" : " in " + any.unit();
    boolean once = subjects.stream().allMatch(s -> s.figures().get(figure).values().size() == 1);
    return figure + unit + (once ? "" : ", median; the line spans least to most");
  }

  private void drawBar(Svg svg, Subject subject, double middle) {
    Figure measured = subject.figures().get(figure);
    svg.text(
        cut(subject.name()),
        "text x='%s' y='%s' text-anchor='end' font-size='13' fill='%s'",
        left - LABEL_GAP,
        middle + 4,
        ChartFrame.INK);
    svg.empty(
        "rect x='%s' y='%s' width='%s' height='%s' rx='2' fill='%s'",
        left, middle - BAR / 2.0, Math.max(1, x(measured.median()) - left), BAR, Palette.colour(0));
    if (measured.values().size() > 1) {
      drawWhisker(svg, x(measured.least()), x(measured.most()), middle);
    }
    svg.text(
        Digits.median(figure, measured),
        "text x='%s' y='%s' font-size='13' font-weight='600' fill='%s'",
        x(measured.most()) + 8,
        middle + 4,
        ChartFrame.INK);
  }

  private static void drawWhisker(Svg svg, double from, double to, double y) {
    svg.open("g stroke='%s' stroke-width='1.5'", ChartFrame.INK);
    svg.empty("line x1='%s' y1='%s' x2='%s' y2='%s'", from, y, to, y);
    for (double end : new double[] {from, to}) {
      svg.empty("line x1='%s' y1='%s' x2='%s' y2='%s'", end, y - WHISKER_END, end, y + WHISKER_END);
    }
    svg.close("g");
  }

  private double x(double value) {
    double width = ChartFrame.WIDTH - ChartFrame.MARGIN - VALUE_WIDTH - left;
    return left + width * axis.position(value);
  }

  private static String cut(String name) {
    return name.length() <= LONGEST_LABEL ? name : name.substring(0, LONGEST_LABEL - 1) + "…";
  }
}
