package dev.sluice.bench.report;

import dev.sluice.chart.Axis;
import dev.sluice.chart.ChartFrame;
import dev.sluice.chart.Palette;
import dev.sluice.chart.Svg;
import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/**
 * Curves of one name as a picture, a line for each. What grows goes by powers of ten, and so does
 * the figure if it spans more than two of them; neither does where a value is not above zero.
 */
public final class LineChart {
  private static final int PLOT_HEIGHT = 300;
  private static final int AXIS_HEIGHT = 50;
  private static final int LEGEND_LINE = 20;
  private static final int LEFT = 84;
  private static final double RIGHT = ChartFrame.WIDTH - ChartFrame.MARGIN - 12.0;
  private static final double LETTER = 7.7;
  private static final int SWATCH = 22;
  private static final int LEGEND_GAP = 22;
  private static final double TWO_DECADES = 100;

  private final ChartFrame frame;
  private final List<Curve> curves;
  private final Axis across;
  private final Axis up;
  private final int top;

  private LineChart(ChartFrame frame, List<Curve> curves) {
    this.frame = frame;
    this.curves = curves;
    this.across = axis(Curve.Point::x, 1);
    this.up = axis(Curve.Point::y, TWO_DECADES);
    this.top = frame.top() + legend(null);
  }

  /** The chart of these curves, of which there is at least one point. */
  public static String draw(List<Curve> curves, String summary, Report report) {
    ChartFrame frame = new ChartFrame(curves.get(0).name(), summary, report.caption());
    return new LineChart(frame, curves).draw();
  }

  private Axis axis(ToDoubleFunction<Curve.Point> value, double spanForLog) {
    double[] values =
        curves.stream()
            .flatMap(curve -> curve.points().stream())
            .mapToDouble(value)
            .sorted()
            .toArray();
    double least = values[0];
    double most = values[values.length - 1];
    return least > 0 && most / least > spanForLog ? Axis.log(least, most) : Axis.linear(most);
  }

  private String draw() {
    int bottom = top + PLOT_HEIGHT;
    Svg svg = frame.begin(bottom + AXIS_HEIGHT);
    legend(svg);
    drawAcross(svg, bottom);
    drawUp(svg);
    for (int i = 0; i < curves.size(); i++) {
      drawLine(svg, curves.get(i), Palette.colour(i));
    }
    return ChartFrame.finish(svg);
  }

  /** Draws the legend, or only tells how high it is. */
  private int legend(Svg svg) {
    double x = ChartFrame.MARGIN;
    int y = frame.top() + 6;
    for (int i = 0; i < curves.size(); i++) {
      String line = curves.get(i).line();
      double width = SWATCH + line.length() * LETTER + LEGEND_GAP;
      if (x > ChartFrame.MARGIN && x + width > ChartFrame.WIDTH - ChartFrame.MARGIN) {
        x = ChartFrame.MARGIN;
        y += LEGEND_LINE;
      }
      if (svg != null) {
        drawKey(svg, x, y, line, Palette.colour(i));
      }
      x += width;
    }
    return y + LEGEND_LINE - 2 - frame.top();
  }

  private static void drawKey(Svg svg, double x, int y, String line, String colour) {
    svg.empty(
        "line x1='%s' y1='%s' x2='%s' y2='%s' stroke='%s' stroke-width='3'",
        x, y - 4, x + SWATCH - 6, y - 4, colour);
    svg.text(line, "text x='%s' y='%s' font-size='13' fill='%s'", x + SWATCH, y, ChartFrame.INK);
  }

  private void drawAcross(Svg svg, int bottom) {
    svg.open("g font-size='12' fill='%s' text-anchor='middle'", ChartFrame.FAINT);
    for (double mark : across.marks()) {
      double x = x(mark);
      svg.empty(
          "line x1='%s' y1='%s' x2='%s' y2='%s' stroke='%s'",
          x, top, x, bottom + 4, ChartFrame.GRID);
      svg.text(Digits.mark(mark), "text x='%s' y='%s'", x, bottom + 19);
    }
    svg.empty(
        "line x1='%s' y1='%s' x2='%s' y2='%s' stroke='%s'",
        LEFT, bottom, RIGHT, bottom, ChartFrame.FAINT);
    svg.text(
        curves.get(0).xLabel(),
        "text x='%s' y='%s' font-size='13'",
        (LEFT + RIGHT) / 2,
        bottom + 40);
    svg.close("g");
  }

  private void drawUp(Svg svg) {
    svg.open("g font-size='12' fill='%s' text-anchor='end'", ChartFrame.FAINT);
    for (double mark : up.marks()) {
      double y = y(mark);
      svg.empty(
          "line x1='%s' y1='%s' x2='%s' y2='%s' stroke='%s'",
          LEFT - 4, y, RIGHT, y, ChartFrame.GRID);
      svg.text(Digits.mark(mark), "text x='%s' y='%s'", LEFT - 9, y + 4);
    }
    svg.close("g");
    double middle = top + PLOT_HEIGHT / 2.0;
    svg.text(
        curves.get(0).yLabel(),
        "text transform='translate(%s %s) rotate(-90)' text-anchor='middle' font-size='13' fill='%s'",
        ChartFrame.MARGIN + 8,
        middle,
        ChartFrame.FAINT);
  }

  private void drawLine(Svg svg, Curve curve, String colour) {
    String points =
        curve.points().stream()
            .map(p -> Svg.value(x(p.x())) + "," + Svg.value(y(p.y())))
            .collect(Collectors.joining(" "));
    svg.open("g fill='%s'", colour);
    svg.empty(
        "polyline points='%s' fill='none' stroke='%s' stroke-width='2.5' stroke-linejoin='round'",
        points, colour);
    for (Curve.Point point : curve.points()) {
      svg.empty("circle cx='%s' cy='%s' r='3.5'", x(point.x()), y(point.y()));
    }
    svg.close("g");
  }

  private double x(double value) {
    return LEFT + (RIGHT - LEFT) * across.position(value);
  }

  private double y(double value) {
    return top + PLOT_HEIGHT * (1 - up.position(value));
  }
}
