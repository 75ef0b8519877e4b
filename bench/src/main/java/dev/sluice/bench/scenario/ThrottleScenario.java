package dev.sluice.bench.scenario;

import dev.sluice.bench.report.Figure;
import dev.sluice.bench.report.Ratio;
import dev.sluice.bench.report.Ratio.Goal;
import dev.sluice.bench.report.Section;
import dev.sluice.bench.report.Subject;
import dev.sluice.bench.throttle.ThrottleBenchmark;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/** Measures, with JMH, what it costs to go through a throttle that has room. */
record ThrottleScenario() implements Scenario {
  private static final long ITERATION_MILLIS = 2_000;
  private static final long LEAST_ITERATION_MILLIS = 20;
  private static final int WARM_UPS = 3;
  private static final String NANOS = "ns";

  /** A way in and out, and how it is called in the report. */
  private record Way(String method, String name) {}

  private static final List<Way> WAYS =
      List.of(
          new Way("semaphore", "java.util.concurrent.Semaphore, fair"),
          new Way("run", "throttle.run"),
          new Way("permit", "throttle.acquire and close"),
          new Way("runMetered", "throttle.run with Micrometer"));

  @Override
  public String name() {
    return "throttle";
  }

  @Override
  public String family() {
    return name();
  }

  @Override
  public String summary() {
    return "Entering and leaving a throttle that has room, on one thread, beside a bare semaphore.";
  }

  @Override
  public boolean onPostgres() {
    return false;
  }

  @Override
  public Section run(Bench bench) {
    bench.progress().begin(name(), WAYS.size());
    List<Subject> subjects = new ArrayList<>();
    try {
      for (Way way : WAYS) {
        Figure time = measure(bench, way);
        subjects.add(new Subject(way.name, Map.of("threads", "1"), Map.of("time for each", time)));
        bench.progress().step("%s %.0f ns".formatted(way.name, time.median()));
      }
    } finally {
      bench.progress().end();
    }
    return new Section(name(), summary(), subjects, ratios(subjects), List.of(), remarks());
  }

  private static Figure measure(Bench bench, Way way) {
    TimeValue iteration =
        TimeValue.milliseconds(
            Math.max(LEAST_ITERATION_MILLIS, Math.round(ITERATION_MILLIS * bench.plan().scale())));
    try {
      return new Figure(
          NANOS,
          new Runner(
                  new OptionsBuilder()
                      .include(ThrottleBenchmark.class.getName() + "\\." + way.method + "$")
                      .forks(1)
                      .threads(1)
                      .warmupIterations(WARM_UPS)
                      .warmupTime(iteration)
                      .measurementIterations(bench.plan().runs())
                      .measurementTime(iteration)
                      .shouldFailOnError(true)
                      .verbosity(VerboseMode.SILENT)
                      .build())
              .runSingle().getAggregatedResult().getIterationResults().stream()
                  .map(result -> result.getPrimaryResult().getScore())
                  .toList());
    } catch (RunnerException e) {
      throw new IllegalStateException("JMH could not measure " + way.name, e);
    }
  }

  private static List<Ratio> ratios(List<Subject> subjects) {
    Figure semaphore = subjects.get(0).figures().get("time for each");
    List<Ratio> ratios = new ArrayList<>();
    for (Subject subject : subjects.subList(1, subjects.size())) {
      Figure time = subject.figures().get("time for each");
      ratios.add(new Ratio(subject.name() + ", ns", time, Optional.of(Goal.atMost(1_000, 500))));
      List<Double> quotients =
          IntStream.range(0, time.values().size())
              .mapToObj(i -> time.values().get(i) / semaphore.values().get(i))
              .toList();
      ratios.add(
          new Ratio(subject.name() + " vs semaphore", new Figure("", quotients), Optional.empty()));
    }
    return ratios;
  }

  private static List<String> remarks() {
    return List.of(
        "A semaphore counts. A throttle also keeps its line in order, counts by label, and times both"
            + " the wait and the work; most of what it adds is looking at the clock.",
        "Nothing is done inside, so this is all cost. Work that a throttle is for takes a thousand"
            + " times as long, or more.");
  }
}
