package dev.sluice.cli.watch;

import dev.sluice.ConcurrencyStatus;
import dev.sluice.Group;
import dev.sluice.GroupSummary;
import dev.sluice.JobState;
import dev.sluice.SlotInfo;
import dev.sluice.WorkerBulletin;
import dev.sluice.cli.text.Durations;
import dev.sluice.cli.text.Printable;
import dev.sluice.cli.text.Style;
import dev.sluice.cli.text.Table;
import dev.sluice.cli.text.Times;
import dev.sluice.cli.watch.TopView.Snapshot;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** What the screen shows of a snapshot, for a screen of any size. Not thread-safe. */
public final class TopScreen {
  private static final int WIDE = 100;
  private static final int MIDDLING = 64;
  private static final int HEAD = 5;
  private static final int TALL = 18;

  private final Style style;
  private final Times times;
  private Snapshot snapshot;
  private String complaint = "";
  private int cursor;

  public TopScreen(Style style, Times times) {
    this.style = style;
    this.times = times;
  }

  /** Shows this from now on. */
  public void show(Snapshot snapshot) {
    Optional<Group> before = selected();
    this.snapshot = snapshot;
    complaint = "";
    // The order changes all the time; what was chosen is a group and not a line.
    before.ifPresent(
        group -> {
          for (int i = 0; i < snapshot.groups().size(); i++) {
            if (snapshot.groups().get(i).group().equals(group)) {
              cursor = i;
            }
          }
        });
    cursor = Math.max(0, Math.min(cursor, snapshot.groups().size() - 1));
  }

  /** Says why there is nothing newer to show. */
  public void complain(String complaint) {
    this.complaint = complaint;
  }

  /** Chooses the group so many lines further down; whether there is one. */
  public boolean select(int lines) {
    if (snapshot == null || snapshot.groups().isEmpty()) {
      return false;
    }
    cursor = Math.max(0, Math.min(cursor + lines, snapshot.groups().size() - 1));
    return true;
  }

  /** The group that is chosen. */
  public Optional<Group> selected() {
    return snapshot == null || snapshot.groups().isEmpty()
        ? Optional.empty()
        : Optional.of(snapshot.groups().get(cursor).group());
  }

  /** The lines of a screen, no wider and no more than it has. */
  public List<String> lines(int width, int height) {
    List<String> lines = new ArrayList<>();
    if (snapshot == null) {
      lines.add(complaint.isEmpty() ? "Looking..." : style.red(Printable.of(complaint)));
    } else {
      head(lines);
      int slots = height >= TALL ? height / 3 : 0;
      groups(lines, width, height - 1 - slots);
      if (slots > 0) {
        slots(lines, width, height - 1);
      }
      while (lines.size() < height - 1) {
        lines.add("");
      }
      lines.add(style.dim("q quits, up and down choose a group, space looks again"));
    }
    return lines.stream()
        .limit(Math.max(1, height))
        .map(line -> Printable.clip(line, width))
        .toList();
  }

  private void head(List<String> lines) {
    int running = load().mapToInt(WorkerBulletin.Load::running).sum();
    int most = load().mapToInt(WorkerBulletin.Load::concurrency).sum();
    Figures.TaskFigures rates = snapshot.figures().total();
    lines.add(style.bold("sluice top") + "  " + Printable.of(snapshot.store()));
    lines.add(
        "jobs     %,d ready, %,d waiting, %,d running, %,d scheduled, %,d failed"
            .formatted(
                count(JobState.READY),
                count(JobState.WAITING),
                count(JobState.RUNNING),
                count(JobState.SCHEDULED),
                count(JobState.FAILED)));
    lines.add(
        "workers  %,d, running %,d of %,d".formatted(snapshot.workers().size(), running, most));
    lines.add(
        "rates    %,.1f/s started, %,.1f/s succeeded, %,.1f/s failed, %,.1f/s retried"
            .formatted(rates.started(), rates.succeeded(), rates.failed(), rates.retried()));
    lines.add(complaint.isEmpty() ? "" : style.red(Printable.of(complaint)));
  }

  private Stream<WorkerBulletin.Load> load() {
    return snapshot.workers().stream()
        .flatMap(w -> w.bulletin().stream())
        .map(WorkerBulletin::load);
  }

  private long count(JobState state) {
    return snapshot.counts().getOrDefault(state, 0L);
  }

  private void groups(List<String> lines, int width, int until) {
    boolean wide = width >= WIDE;
    boolean middling = width >= MIDDLING;
    Table table = new Table(style).left(" ").flexible("GROUP").right("ACTIVE").right("LIMIT");
    if (middling) {
      table.left("").right("WAITING");
    }
    if (wide) {
      table.right("GOT/S").right("REFUSED/S").right("WAIT P50").right("WAIT P95");
    }
    int room = Math.max(1, until - HEAD - 1);
    int first = Math.max(0, Math.min(cursor - room / 2, snapshot.groups().size() - room));
    for (int i = first; i < Math.min(snapshot.groups().size(), first + room); i++) {
      table.row(cells(snapshot.groups().get(i), i == cursor, wide, middling));
    }
    if (table.isEmpty()) {
      lines.add("No group is in use.");
    } else {
      lines.addAll(table.lines(width));
    }
  }

  private String[] cells(GroupSummary group, boolean chosen, boolean wide, boolean middling) {
    List<String> cells = new ArrayList<>();
    cells.add(chosen ? ">" : " ");
    cells.add(Printable.of(group.group().toString()));
    cells.add(String.valueOf(group.active()));
    cells.add(
        group.limit().isPresent() ? String.valueOf(group.limit().getAsInt()) : style.unlimited());
    if (middling) {
      cells.add(
          group.limit().isPresent()
              ? style.bar(group.active(), group.limit().getAsInt(), wide ? 20 : 10)
              : "");
      cells.add("%,d".formatted(group.waiting()));
    }
    if (wide) {
      Optional<Figures.GroupFigures> figures = snapshot.figures().group(group.group().toString());
      cells.add(figures.map(f -> "%,.1f".formatted(f.acquired())).orElse("-"));
      cells.add(figures.map(f -> "%,.1f".formatted(f.rejected())).orElse("-"));
      cells.add(quantile(figures, 0.5));
      cells.add(quantile(figures, 0.95));
    }
    return cells.toArray(new String[0]);
  }

  private static String quantile(Optional<Figures.GroupFigures> figures, double share) {
    return figures.flatMap(f -> f.waits().quantile(share)).map(Durations::format).orElse("-");
  }

  private void slots(List<String> lines, int width, int until) {
    Optional<ConcurrencyStatus> status = snapshot.selected();
    if (status.isEmpty()) {
      return;
    }
    lines.add("");
    lines.add(style.bold("slots of " + Printable.of(status.get().group().toString())));
    Table table = new Table(style).right("SLOT").left("HELD BY").flexible("WORKER").left("SINCE");
    int room = Math.max(0, until - lines.size() - 1);
    for (SlotInfo slot : status.get().slots().stream().limit(room).toList()) {
      table.row(
          String.valueOf(slot.slotId()),
          Printable.of(slot.taskId().orElse("-")),
          Printable.of(slot.workerId().orElse("-")),
          times.age(slot.since()));
    }
    if (!table.isEmpty()) {
      lines.addAll(table.lines(width));
    }
  }
}
