package dev.sluice.example.media;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** A timeline in letters: a line for everything that ran at once, a letter for each video. */
final class TextChart {
  private static final int COLUMNS = 72;
  private static final String ROW = "%-18s %-8s |%s|";

  private TextChart() {}

  /** The lines of the chart. */
  static List<String> draw(Performance performance) {
    Timeline timeline = performance.timeline();
    Duration end = timeline.end();
    Map<String, Integer> videos = performance.videos();
    List<String> lines = new ArrayList<>();
    lines.add(performance.title());
    String last = Performance.seconds(end);
    lines.add(ROW.formatted("", "at once", "0" + " ".repeat(COLUMNS - 1 - last.length()) + last));
    for (Label label : Label.values()) {
      String name = label.toString();
      String peak = performance.peak(label);
      for (List<Timeline.Span> lane : timeline.lanes(each -> each == label)) {
        lines.add(ROW.formatted(name, peak, letters(lane, end, videos)));
        name = "";
        peak = "";
      }
    }
    return lines;
  }

  private static String letters(
      List<Timeline.Span> lane, Duration end, Map<String, Integer> videos) {
    char[] row = new char[COLUMNS];
    Arrays.fill(row, ' ');
    for (Timeline.Span span : lane) {
      int from = Math.min(COLUMNS - 1, column(span.start(), end));
      int to = Math.max(from + 1, column(span.end(), end));
      Arrays.fill(row, from, to, (char) ('A' + videos.get(span.video()) % 26));
    }
    return new String(row);
  }

  private static int column(Duration time, Duration end) {
    return (int) (COLUMNS * time.toNanos() / Math.max(1, end.toNanos()));
  }
}
