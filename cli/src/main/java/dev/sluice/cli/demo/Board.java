package dev.sluice.cli.demo;

import dev.sluice.Group;
import dev.sluice.cli.demo.Tally.Numbers;
import dev.sluice.cli.text.Console;
import dev.sluice.cli.text.Durations;
import dev.sluice.cli.text.Style;
import dev.sluice.cli.text.Table;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * What the demo shows while it runs: a table that is drawn over itself in a terminal, or a line
 * every few seconds elsewhere. Not thread-safe.
 */
public final class Board {
  private static final Duration REDRAW = Duration.ofMillis(250);
  private static final Duration LINE = Duration.ofSeconds(5);
  private static final int REST_OF_ROW = 68;
  private static final int NARROWEST_BAR = 6;
  private static final int WIDEST_BAR = 30;

  private final Console console;
  private final Style style;
  private final Feeder feeder;
  private final Limits limits;
  private final String hint;
  private final Rates rates = new Rates();
  private long drawnAt;
  private int drawnLines;
  private int width;

  /**
   * A board.
   *
   * @param hint what stands before the last line's own words
   */
  public Board(Console console, Feeder feeder, Limits limits, String hint) {
    this.console = console;
    this.style = console.style();
    this.feeder = feeder;
    this.limits = limits;
    this.hint = hint;
  }

  /** The numbers of all workers together. */
  public static Map<Group, Numbers> together(List<DemoWorker> workers) {
    Map<Group, Numbers> sum = new TreeMap<>();
    for (DemoWorker worker : workers) {
      worker.numbers().forEach((group, numbers) -> sum.merge(group, numbers, Numbers::plus));
    }
    return sum;
  }

  /** Shows the numbers, if it is time to. */
  public void show(Map<Group, Numbers> numbers, Moment moment) {
    boolean live = console.terminal().out();
    long now = System.nanoTime();
    if (drawnAt != 0 && now - drawnAt < (live ? REDRAW : LINE).toNanos()) {
      return;
    }
    drawnAt = now;
    limits.refresh();
    rates.sample(now, numbers);
    if (live) {
      draw(frame(numbers, moment, currentWidth()));
    } else {
      console.err().println(line(numbers, moment));
    }
  }

  /**
   * Where the demo is.
   *
   * @param elapsed how long it has run
   * @param total how long it will
   * @param workers how many workers are alive
   */
  public record Moment(Duration elapsed, Duration total, int workers) {}

  private int currentWidth() {
    // Asking costs a process; a resized window is noticed at the next whole second or so.
    if (width == 0 || drawnAt / 1_000_000_000L % 2 == 0) {
      width = console.terminal().width();
    }
    return width;
  }

  private void draw(List<String> lines) {
    StringBuilder frame = new StringBuilder();
    frame.append(drawnLines == 0 ? "" : "\u001b[" + drawnLines + "A");
    lines.forEach(line -> frame.append('\r').append(line).append("\u001b[K\n"));
    frame.append("\u001b[J");
    drawnLines = lines.size();
    console.out().print(frame);
    console.out().flush();
  }

  /** Takes the table away, so that the summary stands in its place. */
  public void clear() {
    if (drawnLines > 0) {
      console.out().print("\u001b[" + drawnLines + "A\r\u001b[J");
      console.out().flush();
      drawnLines = 0;
    }
  }

  List<String> frame(Map<Group, Numbers> numbers, Moment moment, int width) {
    int bar = Math.max(NARROWEST_BAR, Math.min(WIDEST_BAR, width - REST_OF_ROW));
    Table table =
        new Table(style)
            .flexible("TASK")
            .right("LIMIT")
            .left("RUNNING")
            .right("")
            .right("WAITING")
            .right("DONE")
            .right("RATE");
    for (DemoTask task : DemoTask.ALL) {
      if (!task.customers().isEmpty()) {
        table.row(task.name() + ", each", "", "", "", "", "", "");
      }
      for (Group group : task.groups()) {
        row(table, label(task, group), group, numbers, bar);
      }
    }
    List<String> lines = new ArrayList<>();
    lines.add(
        style.bold("sluice demo")
            + "  %d workers, %s of %s"
                .formatted(
                    moment.workers,
                    whole(Duration.ofSeconds(moment.elapsed.toSeconds())),
                    whole(moment.total)));
    lines.add("");
    lines.addAll(table.lines(width));
    lines.add("");
    lines.add(hint + style.dim("Ctrl-C ends it with the summary."));
    return lines;
  }

  private void row(Table table, String label, Group group, Map<Group, Numbers> all, int bar) {
    Numbers numbers = all.getOrDefault(group, Numbers.NONE);
    OptionalInt limit = limits.current(group);
    int running = numbers.running();
    table.row(
        label,
        limit.isPresent() ? String.valueOf(limit.getAsInt()) : style.unlimited(),
        limit.isPresent() ? style.bar(running, limit.getAsInt(), bar) : "",
        "%5s".formatted(ofLimit(all, group)),
        "%,7d".formatted(Math.max(0, feeder.unfinished(group, all) - running)),
        "%,8d".formatted(numbers.done()),
        "%,7.1f/s".formatted(rates.perSecond(group)));
  }

  private static String whole(Duration duration) {
    long seconds = duration.toSeconds();
    return duration.compareTo(Duration.ofSeconds(10)) < 0 && duration.toMillisPart() == 0
        ? seconds + "s"
        : Durations.format(duration);
  }

  private String label(DemoTask task, Group group) {
    return task.customers().isEmpty()
        ? task.name()
        : " " + style.branch() + group.toString().substring(group.toString().indexOf('=') + 1);
  }

  private String line(Map<Group, Numbers> numbers, Moment moment) {
    int done = numbers.values().stream().mapToInt(Numbers::done).sum();
    String running =
        DemoTask.ALL.stream()
            .map(
                task ->
                    task.name()
                        + " "
                        + task.groups().stream()
                            .map(group -> ofLimit(numbers, group))
                            .collect(Collectors.joining("+")))
            .collect(Collectors.joining(", "));
    return "%s of %s: %,d jobs done; running: %s"
        .formatted(
            whole(Duration.ofSeconds(moment.elapsed.toSeconds())),
            whole(moment.total),
            done,
            running);
  }

  private String ofLimit(Map<Group, Numbers> numbers, Group group) {
    int running = numbers.getOrDefault(group, Numbers.NONE).running();
    OptionalInt limit = limits.current(group);
    return limit.isPresent() ? running + "/" + limit.getAsInt() : String.valueOf(running);
  }
}
