package dev.sluice.bench.scenario;

import dev.sluice.bench.report.Curve;
import dev.sluice.bench.report.Figure;
import dev.sluice.bench.report.Section;
import dev.sluice.bench.report.Subject;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.IntFunction;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

/**
 * Measures how throughput, claim time, CPU time and memory change as things get larger.
 *
 * @param largest how many jobs or groups to go up to
 * @param things what is to grow
 */
public record Growth(int largest, Set<Thing> things) implements Scenario {
  /** Something that grows. */
  public enum Thing {
    /** The jobs that are there to be run. */
    BACKLOG,
    /** The groups that have a limit. */
    GROUPS,
    /** The workers. */
    WORKERS,
    /** The jobs that wait while a worker's memory is looked at. */
    PENDING
  }

  /** Where backlogs begin. */
  public static final int SMALLEST_BACKLOG = 1_000;

  private static final int MOST_KEYS = 100_000;
  private static final int MOST_TASKS = 1_000;

  /**
   * One line of the charts against one thing.
   *
   * @param thing what grows
   * @param against its name in the charts
   * @param name which line
   * @param label what grows, and in what
   * @param steps how large it gets
   */
  private record Line(
      Thing thing,
      String against,
      String name,
      String label,
      List<Integer> steps,
      IntFunction<Setting> at) {
    Curve curve(String figure, String unit, List<Curve.Point> points) {
      return new Curve("%s against %s".formatted(figure, against), name, label, unit, points);
    }
  }

  @Override
  public String name() {
    return "growth";
  }

  @Override
  public String family() {
    return "growth";
  }

  @Override
  public String summary() {
    return "Throughput, claim time, the server's CPU time and memory as the backlog, the limited"
        + " groups and the workers grow.";
  }

  @Override
  public Section run(Bench bench) throws InterruptedException {
    List<Curve> curves = new ArrayList<>();
    for (Line line : lines(bench.plan())) {
      if (things.contains(line.thing)) {
        curves.addAll(measure(bench, line));
      }
    }
    if (things.contains(Thing.PENDING)) {
      curves.add(HeapGrowth.measure(bench, backlogs(bench.plan())));
    }
    return new Section(
        name(),
        summary(),
        List.of(),
        List.of(),
        curves,
        List.of(
            "Backlog: so many jobs are submitted, then all are run; the figure is that of the whole.",
            "Groups: keys with a limit of 1 each, or tasks with a limit of 10 each.",
            "The claim time is the median of the exchanges that brought jobs."));
  }

  private List<Line> lines(Plan plan) {
    List<Integer> workers = List.of(1, 2, 4, 8, 16);
    int batch = plan.jobs(Scenarios.BATCH);
    return List.of(
        new Line(
            Thing.BACKLOG, "backlog", "no limit", "jobs", backlogs(plan), Scenarios::unlimited),
        new Line(Thing.BACKLOG, "backlog", "limit 10", "jobs", backlogs(plan), Scenarios::limited),
        new Line(
            Thing.GROUPS,
            "limited groups",
            "keys, limit 1",
            "groups",
            powersOfTen(1, plan.jobs(Math.min(largest, MOST_KEYS))),
            keys -> Scenarios.keyed(keys, Math.max(keys, batch))),
        new Line(
            Thing.GROUPS,
            "limited groups",
            "tasks, limit 10",
            "groups",
            powersOfTen(1, plan.jobs(Math.min(largest, MOST_TASKS))),
            tasks -> Scenarios.limitedTasks(tasks, batch)),
        new Line(
            Thing.WORKERS,
            "workers",
            "no limit",
            "workers",
            workers,
            count -> Scenarios.unlimited(batch).crew(count, 100)),
        new Line(
            Thing.WORKERS,
            "workers",
            "limit 10",
            "workers",
            workers,
            count -> Scenarios.limited(batch).crew(count, 100)));
  }

  private List<Integer> backlogs(Plan plan) {
    return powersOfTen(SMALLEST_BACKLOG, largest).stream().map(plan::jobs).distinct().toList();
  }

  private static List<Curve> measure(Bench bench, Line line) throws InterruptedException {
    List<Curve.Point> throughput = new ArrayList<>();
    List<Curve.Point> claim = new ArrayList<>();
    List<Curve.Point> serverCpu = new ArrayList<>();
    Progress progress = bench.progress();
    progress.begin(
        "%s, %s".formatted(line.against, line.name), line.steps.size() * bench.plan().runs());
    try {
      for (int step : line.steps) {
        List<Round> rounds = new ArrayList<>();
        try (Stage stage = bench.onPostgres(line.at.apply(step))) {
          while (rounds.size() < bench.plan().runs()) {
            Round round = stage.measure();
            rounds.add(round);
            progress.step(
                String.format(
                    Locale.ROOT, "%,d %s %.0f jobs/s", step, line.label, round.jobsPerSecond()));
          }
        }
        throughput.add(new Curve.Point(step, median(rounds, Round::jobsPerSecond)));
        claim.add(new Curve.Point(step, median(rounds, Round::medianClaimMillis)));
        ServerCpu.figure(rounds.stream().map(Round::serverCpu).toList())
            .filter(Figure::known)
            .ifPresent(figure -> serverCpu.add(new Curve.Point(step, figure.median())));
      }
    } finally {
      progress.end();
    }
    return Stream.of(
            line.curve("throughput", "jobs/s", throughput),
            line.curve("claim time", "claim in ms", claim),
            line.curve(Subject.SERVER_CPU, "CPU time in µs", serverCpu))
        .filter(curve -> !curve.points().isEmpty())
        .toList();
  }

  private static double median(List<Round> rounds, ToDoubleFunction<Round> value) {
    return new Figure("", rounds.stream().mapToDouble(value).boxed().toList()).median();
  }

  static List<Integer> powersOfTen(int from, int to) {
    return Stream.iterate((long) from, power -> power <= to, power -> power * 10)
        .map(Math::toIntExact)
        .toList();
  }
}
