package dev.sluice.cli;

import dev.sluice.Group;
import dev.sluice.JobFailure;
import dev.sluice.JobInfo;
import dev.sluice.cli.text.Console;
import dev.sluice.cli.text.Durations;
import dev.sluice.cli.text.Printable;
import dev.sluice.cli.text.Times;
import java.time.Duration;
import java.util.stream.Collectors;

/** One job in full, a property a line. */
final class JobSheet {
  private static final int STACK_LINES = 6;

  private final Console console;
  private final Times times;

  JobSheet(Console console, Times times) {
    this.console = console;
    this.times = times;
  }

  void print(JobInfo job) {
    JobInfo.Schedule schedule = job.spec().schedule();
    JobInfo.Progress progress = job.progress();
    line("job", job.id().toString());
    line("task", Printable.of(job.task()));
    line(
        "state",
        console.style().state(job.state())
            + (progress.cancelRequested() && !job.state().finished() ? " (asked to stop)" : ""));
    line("queue", Printable.of(job.spec().queue()));
    line("priority", String.valueOf(job.spec().priority()));
    line(
        "groups",
        job.spec().groups().stream()
            .map(Group::toString)
            .map(Printable::of)
            .collect(Collectors.joining(", ")));
    line("submitted", times.full(schedule.submittedAt()));
    line("due", times.full(schedule.runAt()));
    schedule.timeout().ifPresent(timeout -> line("timeout", Durations.format(timeout)));
    schedule.dedupeKey().ifPresent(key -> line("dedupe key", Printable.of(key)));
    line("attempts", String.valueOf(progress.attempt()));
    progress.workerId().ifPresent(worker -> line("worker", Printable.of(worker)));
    progress.startedAt().ifPresent(started -> line("started", times.full(started)));
    job.outcome()
        .finishedAt()
        .ifPresent(
            finished ->
                line(
                    "finished",
                    times.full(finished)
                        + progress
                            .startedAt()
                            .map(started -> Duration.between(started, finished))
                            .map(took -> ", took " + Durations.format(took))
                            .orElse("")));
    progress.note().ifPresent(note -> line("note", Printable.of(note)));
    line("payload", Printable.of(job.spec().payload()));
    job.outcome().result().ifPresent(result -> line("result", Printable.of(result)));
    job.failures().forEach(this::failure);
  }

  private void failure(JobFailure failure) {
    console.out().println();
    console
        .out()
        .println(
            console
                .style()
                .red("attempt " + failure.attempt() + " failed " + times.full(failure.at())));
    console.out().println("  " + Printable.of(failure.type()));
    Printable.lines(failure.message() == null ? "" : failure.message())
        .lines()
        .forEach(line -> console.out().println("  " + line));
    Printable.lines(failure.stackTrace())
        .lines()
        .filter(line -> line.startsWith("    at "))
        .limit(STACK_LINES)
        .forEach(line -> console.out().println(console.style().dim(line)));
  }

  private void line(String name, String value) {
    console.out().println(console.style().dim("%-10s".formatted(name)) + " " + value);
  }
}
