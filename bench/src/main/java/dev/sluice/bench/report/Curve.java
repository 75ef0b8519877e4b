package dev.sluice.bench.report;

import java.util.List;

/**
 * How a figure grows with something, to be drawn as a line.
 *
 * @param name what it is: {@code claim time against backlog}
 * @param line which line of the chart
 * @param xLabel what grows, and in what
 * @param yLabel what was measured, and in what
 * @param points in the order of x
 */
public record Curve(String name, String line, String xLabel, String yLabel, List<Point> points) {
  /** One measured point. */
  public record Point(double x, double y) {}
}
