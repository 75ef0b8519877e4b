package dev.sluice.example.media;

import dev.sluice.chart.Axis;
import dev.sluice.chart.ChartFrame;
import dev.sluice.chart.Palette;
import dev.sluice.chart.Svg;
import dev.sluice.example.media.Timeline.Span;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * Timelines as a picture, one below the other on the same scale: a row for everything that ran at
 * once, a colour for each video, and its name on the longest bar that it has.
 */
final class GanttChart {
  private static final int LANE = 18;
  private static final int BAR = 14;
  private static final int LETTER = 6;
  private static final int LABEL_GAP = 8;
  private static final int TITLE = 30;
  private static final int AXIS = 34;
  private static final int LEFT = 210;
  private static final int RIGHT = ChartFrame.WIDTH - ChartFrame.MARGIN;

  private final List<Performance> performances;
  private final Axis axis;

  private GanttChart(List<Performance> performances) {
    this.performances = performances;
    this.axis =
        Axis.linear(
            performances.stream()
                .mapToDouble(performance -> seconds(performance.timeline().end()))
                .max()
                .orElse(0));
  }

  /** The picture, as SVG. */
  static String draw(List<Performance> performances, String caption) {
    ChartFrame frame =
        new ChartFrame(
            "Who ran when",
            "A row for everything that ran at once, a colour for each video; disk_… share one throttle.",
            List.of(caption));
    GanttChart chart = new GanttChart(performances);
    int bottom = frame.top() + performances.stream().mapToInt(GanttChart::height).sum();
    Svg svg = frame.begin(bottom);
    int y = frame.top();
    for (Performance performance : performances) {
      chart.draw(svg, performance, y);
      y += height(performance);
    }
    return ChartFrame.finish(svg);
  }

  private static int height(Performance performance) {
    int lanes = 0;
    for (Label label : Label.values()) {
      lanes += Math.max(1, performance.timeline().lanes(each -> each == label).size());
    }
    return TITLE + lanes * LANE + Label.values().length * LABEL_GAP + AXIS;
  }

  private void draw(Svg svg, Performance performance, int top) {
    svg.text(
        performance.title(),
        "text x='%s' y='%s' font-size='14' font-weight='600' fill='%s'",
        ChartFrame.MARGIN,
        top + TITLE - 12,
        ChartFrame.INK);
    int bottom = top + height(performance) - AXIS;
    drawScale(svg, top + TITLE, bottom);
    int y = top + TITLE;
    for (Label label : Label.values()) {
      y = drawLabel(svg, performance, label, y);
    }
  }

  private void drawScale(Svg svg, int top, int bottom) {
    svg.open("g font-size='12' fill='%s' text-anchor='middle'", ChartFrame.FAINT);
    for (double mark : axis.marks()) {
      svg.empty(
          "line x1='%s' y1='%s' x2='%s' y2='%s' stroke='%s'",
          x(mark), top, x(mark), bottom, ChartFrame.GRID);
      svg.text(Svg.value(mark) + " s", "text x='%s' y='%s'", x(mark), bottom + 14);
    }
    svg.close("g");
  }

  /** Draws what ran under a label: where the next one begins. */
  private int drawLabel(Svg svg, Performance performance, Label label, int top) {
    Map<String, Integer> videos = performance.videos();
    svg.text(
        label + ", " + performance.peak(label),
        "text x='%s' y='%s' font-size='12' fill='%s'",
        ChartFrame.MARGIN,
        top + LANE - 3,
        ChartFrame.INK);
    int y = top;
    for (List<Span> lane : performance.timeline().lanes(each -> each == label)) {
      for (Span span : lane) {
        double from = x(seconds(span.start()));
        double width = Math.max(1, x(seconds(span.end())) - from);
        String colour = Palette.colour(videos.get(span.video()));
        svg.open(
            "rect x='%s' y='%s' width='%s' height='%s' rx='1.5' fill='%s'",
            from, y + (LANE - BAR) / 2.0, width, BAR, colour);
        svg.text(span.video() + ": " + Performance.seconds(span.length()), "title");
        svg.close("rect");
        if (span.equals(performance.longest(span.video()))
            && width > LETTER * span.video().length()) {
          svg.text(
              span.video(),
              "text x='%s' y='%s' font-size='10' fill='white'",
              from + LETTER,
              y + LANE - LETTER);
        }
      }
      y += LANE;
    }
    return Math.max(y, top + LANE) + LABEL_GAP;
  }

  private double x(double seconds) {
    return LEFT + (RIGHT - LEFT - LABEL_GAP) * axis.position(seconds);
  }

  private static double seconds(Duration duration) {
    return duration.toNanos() / 1e9;
  }
}
