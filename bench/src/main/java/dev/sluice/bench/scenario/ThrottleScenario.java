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
  private static final long ITERATION_MILLIS = 1_000;
  private static final long LEAST_ITERATION_MILLIS = 20;
  private static final int WARM_UPS = 3;
  private static final String NANOS = "ns";
  private static final String TIME = "time for each";

  /** A way in and out, how it is called in the report, and how long it may take. */
  private record Way(String method, String name, Optional<Goal> goal) {}

  private static final Goal NANOSECONDS = Goal.atMost(1_000, 500);
  private static final List<Way> WAYS =
      List.of(
          new Way("semaphore", "java.util.concurrent.Semaphore, fair", Optional.empty()),
          new Way("run", "throttle.run", Optional.of(NANOSECONDS)),
          new Way("permit", "throttle.acquire and close", Optional.of(NANOSECONDS)),
          new Way("runMetered", "throttle.run with Micrometer", Optional.empty()));

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
    int rounds = bench.plan().runs();
    bench.progress().begin(name(), WAYS.size() * rounds);
    List<List<Double>> times = WAYS.stream().<List<Double>>map(way -> new ArrayList<>()).toList();
    try {
      for (int round = 0; round < rounds; round++) {
        for (int index : Alternation.order(round, WAYS.size())) {
          double nanos = measure(bench.plan(), WAYS.get(index));
          times.get(index).add(nanos);
          bench.progress().step("%s %.0f ns".formatted(WAYS.get(index).name, nanos));
        }
      }
    } finally {
      bench.progress().end();
    }
    List<Subject> subjects =
        IntStream.range(0, WAYS.size())
            .mapToObj(
                index ->
                    new Subject(
                        WAYS.get(index).name,
                        Map.of("threads", "1"),
                        Map.of(TIME, new Figure(NANOS, times.get(index)))))
            .toList();
    return new Section(name(), summary(), subjects, ratios(subjects), List.of(), remarks());
  }

  /** The mean time of one way in and out, in a process of its own that has warmed up. */
  private static double measure(Plan plan, Way way) {
    TimeValue iteration =
        TimeValue.milliseconds(
            Math.max(LEAST_ITERATION_MILLIS, Math.round(ITERATION_MILLIS * plan.scale())));
    try {
      return new Runner(
              new OptionsBuilder()
                  .include(ThrottleBenchmark.class.getName() + "\\." + way.method + "$")
                  .forks(1)
                  .threads(1)
                  .warmupIterations(WARM_UPS)
                  .warmupTime(iteration)
                  .measurementIterations(1)
                  .measurementTime(iteration)
                  .shouldFailOnError(true)
                  .verbosity(VerboseMode.SILENT)
                  .build())
          .runSingle()
          .getPrimaryResult()
          .getScore();
    } catch (RunnerException e) {
      throw new IllegalStateException("JMH could not measure " + way.name, e);
    }
  }

  private static List<Ratio> ratios(List<Subject> subjects) {
    Figure semaphore = subjects.get(0).figures().get(TIME);
    List<Ratio> ratios = new ArrayList<>();
    for (int index = 1; index < subjects.size(); index++) {
      Subject subject = subjects.get(index);
      Figure time = subject.figures().get(TIME);
      ratios.add(new Ratio(subject.name() + ", ns", time, WAYS.get(index).goal));
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
            + " the wait and the work.",
        "Nothing is done inside, so this is all cost. Work that a throttle is for takes a thousand"
            + " times as long, or more.");
  }
}
