package dev.sluice.cli.demo;

import dev.sluice.Group;
import dev.sluice.cli.text.Durations;
import dev.sluice.cli.text.Style;
import dev.sluice.cli.text.Table;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;

/** What the demo found: the peak of each group beside its limit, measured by the handlers. */
public final class Summary {
  private final List<Row> rows = new ArrayList<>();
  private final Duration took;
  private final int workers;

  /**
   * A group's line.
   *
   * @param limit the highest that was in force; empty = unlimited
   * @param peak the most that ran at once
   */
  private record Row(Group group, OptionalInt limit, int peak, int done) {
    boolean held() {
      return limit.isEmpty() || peak <= limit.getAsInt();
    }
  }

  public Summary(Peaks peaks, Limits limits, Duration took, int workers) {
    this.took = took;
    this.workers = workers;
    for (DemoTask task : DemoTask.ALL) {
      for (Group group : task.groups()) {
        rows.add(new Row(group, limits.highest(group), peaks.peak(group), peaks.ended(group)));
      }
    }
  }

  /** Whether no group ran more than its limit at any instant. */
  public boolean everyLimitHeld() {
    return rows.stream().allMatch(Row::held);
  }

  private int done() {
    return rows.stream().mapToInt(Row::done).sum();
  }

  private double seconds() {
    return Math.max(0.001, took.toMillis() / 1000.0);
  }

  /** For people. */
  public List<String> lines(Style style, int width) {
    Table table =
        new Table(style)
            .flexible("GROUP")
            .right("LIMIT")
            .right("PEAK")
            .left("")
            .right("DONE")
            .right("RATE");
    for (Row row : rows) {
      table.row(
          row.group.toString(),
          row.limit.isPresent() ? String.valueOf(row.limit.getAsInt()) : style.unlimited(),
          String.valueOf(row.peak),
          row.limit.isEmpty() ? "" : row.held() ? style.green("held") : style.red("EXCEEDED"),
          "%,d".formatted(row.done),
          "%,.1f/s".formatted(row.done / seconds()));
    }
    List<String> lines = new ArrayList<>(table.lines(width));
    lines.add("");
    lines.add(
        "%,d jobs in %s by %d workers, %,.0f a second."
            .formatted(done(), Durations.format(took), workers, done() / seconds()));
    lines.add(style.dim("Peaks are counted over all workers, from the start and end times that"));
    lines.add(style.dim("the handlers themselves wrote down."));
    lines.add(
        everyLimitHeld()
            ? style.green("Every limit held.")
            : style.red("A limit was exceeded: please report this."));
    return lines;
  }

  /** For machines. */
  public Map<String, Object> asMap() {
    List<Map<String, Object>> groups = new ArrayList<>();
    for (Row row : rows) {
      Map<String, Object> group = new LinkedHashMap<>();
      group.put("group", row.group.toString());
      group.put("limit", row.limit.isPresent() ? row.limit.getAsInt() : null);
      group.put("peak", row.peak);
      group.put("held", row.held());
      group.put("done", row.done);
      groups.add(group);
    }
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("every_limit_held", everyLimitHeld());
    map.put("done", done());
    map.put("seconds", seconds());
    map.put("workers", workers);
    map.put("groups", groups);
    return map;
  }
}
