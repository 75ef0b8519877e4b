package dev.sluice.cli;

import dev.sluice.GroupQuery;
import dev.sluice.GroupSummary;
import dev.sluice.InvalidRequestException;
import dev.sluice.JobState;
import dev.sluice.Queues;
import dev.sluice.Sluice;
import dev.sluice.WorkerInfo;
import dev.sluice.cli.text.Durations;
import dev.sluice.cli.text.Printable;
import dev.sluice.cli.text.Style;
import dev.sluice.cli.text.Table;
import dev.sluice.cli.watch.Figures;
import dev.sluice.cli.watch.Figures.TaskFigures;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Counts, rates and waits over an interval. */
@Command(
    name = "stats",
    description = {
      "Show how many jobs there are, how fast they go, how long their tasks take, and how long they"
          + " wait for the busiest groups.",
      "Rates, times and waits are from what the workers report over the interval."
    },
    footer = {
      "Examples:",
      "  sluice stats",
      "  sluice stats --interval 30s",
      "  sluice --json stats"
    })
final class StatsCommand implements Callable<Integer> {
  private static final Duration SHORTEST = Duration.ofSeconds(1);

  private final SluiceCommand root;

  @Option(names = "--interval", paramLabel = "D", description = "How long to look. Default: 5s")
  private Duration interval = Duration.ofSeconds(5);

  @Option(
      names = "--groups",
      paramLabel = "N",
      description = "How many of the busiest groups to show. Default: 10")
  private int groups = 10;

  StatsCommand(SluiceCommand root) {
    this.root = root;
  }

  private record Look(
      Map<JobState, Long> counts,
      List<Queues.QueueInfo> queues,
      List<WorkerInfo> workers,
      List<GroupSummary> groups,
      Figures figures) {}

  @Override
  public Integer call() throws InterruptedException {
    if (interval.compareTo(SHORTEST) < 0) {
      throw new InvalidRequestException(
          "--interval is %s; workers report every few seconds: use 1s or more."
              .formatted(Durations.format(interval)));
    }
    StopSignal stop = StopSignal.install();
    try (Sluice sluice = root.openToRead()) {
      List<WorkerInfo> before = sluice.workers().list();
      if (stop.await(interval)) {
        return ExitCode.OK;
      }
      List<WorkerInfo> after = sluice.workers().list();
      Look look =
          new Look(
              sluice.jobs().counts(),
              sluice.queues().list(),
              after,
              sluice.concurrency().summaries(GroupQuery.BUSIEST.limit(groups)).items(),
              Figures.between(before, after));
      if (root.json()) {
        root.sayJson(asMap(look));
      } else {
        print(look);
      }
    }
    return ExitCode.OK;
  }

  private void print(Look look) {
    Style style = root.console().style();
    root.say(
        style.bold("jobs     ")
            + look.counts.entrySet().stream()
                .map(e -> "%,d %s".formatted(e.getValue(), e.getKey()))
                .collect(Collectors.joining(", ")));
    int running =
        look.workers.stream()
            .mapToInt(w -> w.bulletin().map(b -> b.load().running()).orElse(0))
            .sum();
    int most =
        look.workers.stream()
            .mapToInt(w -> w.bulletin().map(b -> b.load().concurrency()).orElse(0))
            .sum();
    root.say(
        style.bold("workers  ")
            + "%d, running %,d of at most %,d".formatted(look.workers.size(), running, most));
    TaskFigures all = look.figures.total();
    root.say(
        style.bold("rates    ")
            + "%,.1f/s started, %,.1f/s succeeded, %,.1f/s failed, %,.1f/s retried"
                .formatted(all.started(), all.succeeded(), all.failed(), all.retried()));
    section(queues(look));
    section(tasks(look));
    section(groups(look));
  }

  private void section(Table table) {
    if (!table.isEmpty()) {
      root.say("");
      table.lines(root.console().tableWidth()).forEach(root::say);
    }
  }

  private Table queues(Look look) {
    Table table =
        new Table(root.console().style())
            .flexible("QUEUE")
            .right("READY")
            .right("RUNNING")
            .right("SCHEDULED")
            .left("OLDEST DUE");
    for (Queues.QueueInfo queue : look.queues) {
      table.row(
          Printable.of(queue.name()) + (queue.paused() ? " (paused)" : ""),
          "%,d".formatted(queue.ready()),
          "%,d".formatted(queue.running()),
          "%,d".formatted(queue.scheduled()),
          queue.oldestDue().map(root.times()::age).orElse("-"));
    }
    return table;
  }

  private Table tasks(Look look) {
    Table table =
        new Table(root.console().style())
            .flexible("TASK")
            .right("STARTED/S")
            .right("SUCCEEDED/S")
            .right("FAILED/S")
            .right("RETRIED/S")
            .right("TAKES");
    look.figures
        .tasks()
        .forEach(
            (task, figures) ->
                table.row(
                    Printable.of(task),
                    "%,.1f".formatted(figures.started()),
                    "%,.1f".formatted(figures.succeeded()),
                    "%,.1f".formatted(figures.failed()),
                    "%,.1f".formatted(figures.retried()),
                    figures.mean().map(Durations::format).orElse("-")));
    return table;
  }

  private Table groups(Look look) {
    Table table =
        new Table(root.console().style())
            .flexible("GROUP")
            .right("ACTIVE")
            .right("LIMIT")
            .right("WAITING")
            .right("GOT/S")
            .right("REFUSED/S")
            .right("WAIT P50")
            .right("WAIT P95");
    for (GroupSummary group : look.groups) {
      Optional<Figures.GroupFigures> figures = look.figures.group(group.group().toString());
      table.row(
          Printable.of(group.group().toString()),
          String.valueOf(group.active()),
          GroupsSheet.limit(root.console().style(), group),
          GroupsSheet.waiting(group),
          figures.map(f -> "%,.1f".formatted(f.acquired())).orElse("-"),
          figures.map(f -> "%,.1f".formatted(f.rejected())).orElse("-"),
          quantile(figures, 0.5),
          quantile(figures, 0.95));
    }
    return table;
  }

  private static String quantile(Optional<Figures.GroupFigures> figures, double share) {
    return figures.flatMap(f -> f.waits().quantile(share)).map(Durations::format).orElse("-");
  }

  private Map<String, Object> asMap(Look look) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("interval_seconds", seconds(interval));
    Map<String, Long> counts = new LinkedHashMap<>();
    look.counts.forEach((state, count) -> counts.put(state.toString(), count));
    map.put("counts", counts);
    map.put("workers", look.workers.size());
    map.put("rates", rates(look.figures.total()));
    Map<String, Object> tasks = new LinkedHashMap<>();
    look.figures.tasks().forEach((task, figures) -> tasks.put(task, rates(figures)));
    map.put("tasks", tasks);
    map.put("groups", look.groups.stream().map(group -> group(look, group)).toList());
    return map;
  }

  private static Map<String, Object> group(Look look, GroupSummary group) {
    Map<String, Object> map = GroupsSheet.asMap(group);
    look.figures
        .group(group.group().toString())
        .ifPresent(
            figures -> {
              map.put("acquired", figures.acquired());
              map.put("rejected", figures.rejected());
              figures.waits().quantile(0.5).ifPresent(w -> map.put("wait_p50_seconds", seconds(w)));
              figures
                  .waits()
                  .quantile(0.95)
                  .ifPresent(w -> map.put("wait_p95_seconds", seconds(w)));
            });
    return map;
  }

  private static Map<String, Object> rates(TaskFigures figures) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("started", figures.started());
    map.put("succeeded", figures.succeeded());
    map.put("failed", figures.failed());
    map.put("retried", figures.retried());
    figures.mean().ifPresent(mean -> map.put("mean_seconds", seconds(mean)));
    return map;
  }

  private static double seconds(Duration duration) {
    return duration.toNanos() / 1e9;
  }
}
