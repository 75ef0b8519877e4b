package dev.sluice.cli;

import dev.sluice.cli.text.Console;
import dev.sluice.cli.text.Durations;
import dev.sluice.cli.text.Printable;
import dev.sluice.cli.text.Table;
import dev.sluice.cli.text.Times;
import dev.sluice.schedule.ScheduleInfo;
import dev.sluice.schedule.Timing;
import java.time.Instant;
import java.util.List;

/** Schedules as people read them: many in a table, one in full. */
final class ScheduleSheet {
  private final Console console;
  private final Times times;

  ScheduleSheet(Console console, Times times) {
    this.console = console;
    this.times = times;
  }

  List<String> table(List<ScheduleInfo> schedules) {
    Table table =
        new Table(console.style())
            .flexible("NAME")
            .left("TASK")
            .left("WHEN")
            .left("NEXT")
            .left("LAST")
            .left("SOURCE");
    for (ScheduleInfo schedule : schedules) {
      table.row(
          Printable.of(schedule.name()),
          Printable.of(schedule.spec().task()),
          Printable.of(when(schedule)),
          next(schedule),
          schedule.last().map(last -> times.age(last.occurrence())).orElse("-"),
          Printable.of(schedule.source()));
    }
    return table.lines(console.tableWidth());
  }

  void print(ScheduleInfo schedule, List<Instant> upcoming) {
    line("schedule", Printable.of(schedule.name()));
    line("task", Printable.of(schedule.spec().task()));
    line("when", Printable.of(when(schedule)));
    line("state", schedule.paused() ? console.style().yellow("paused") : "active");
    line("source", Printable.of(schedule.source()));
    line("queue", Printable.of(schedule.spec().queue()));
    line("priority", String.valueOf(schedule.spec().priority()));
    line("group", Printable.of(schedule.spec().group().toString()));
    line("misfire", schedule.spec().misfire().toString());
    line("overlap", schedule.spec().overlap().toString());
    schedule.spec().timeout().ifPresent(timeout -> line("timeout", Durations.format(timeout)));
    line("payload", Printable.of(schedule.spec().payload().toString()));
    line("created", times.full(schedule.createdAt()));
    schedule.last().ifPresent(this::last);
    for (int i = 0; i < upcoming.size(); i++) {
      line(i == 0 ? schedule.paused() ? "would be" : "next" : "", times.full(upcoming.get(i)));
    }
  }

  private void last(ScheduleInfo.Last last) {
    line(
        "last",
        times.full(last.occurrence())
            + " "
            + last.outcome()
            + last.message().map(message -> ": " + Printable.of(message)).orElse(""));
    last.job().ifPresent(job -> line("last job", job.toString()));
  }

  private String next(ScheduleInfo schedule) {
    return schedule.paused()
        ? console.style().yellow("paused")
        : schedule.next().map(times::age).orElse("never");
  }

  /** {@code 0 3 * * * Europe/Berlin} or {@code every 5m 0s}. */
  private static String when(ScheduleInfo schedule) {
    return schedule.spec().timing() instanceof Timing.Cron cron
        ? cron.expression() + " " + cron.zone().getId()
        : "every " + Durations.format(((Timing.Every) schedule.spec().timing()).interval());
  }

  private void line(String name, String value) {
    console.out().println(console.style().dim("%-10s".formatted(name)) + " " + value);
  }
}
