package dev.sluice.bench.scenario;

import dev.sluice.bench.report.Figure;
import dev.sluice.bench.report.Ratio;
import dev.sluice.bench.report.Ratio.Goal;
import dev.sluice.bench.report.Section;
import dev.sluice.bench.report.Subject;
import dev.sluice.bench.server.S3Venue;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * Measures throughput in a bucket whose server takes 20 ms over every request, beside a queue that
 * has an object for every transition of a job.
 */
record ObjectS3Scenario() implements Scenario {
  private static final Duration LATENCY = Duration.ofMillis(20);
  private static final Goal TEN_TIMES = Goal.atLeast(10, 20);

  @Override
  public String name() {
    return "object-s3";
  }

  @Override
  public String family() {
    return name();
  }

  @Override
  public String summary() {
    return "Jobs that do nothing on a store in a bucket with 20 ms to every request, beside a queue"
        + " with an object for every transition.";
  }

  @Override
  public boolean onPostgres() {
    return false;
  }

  /** One who is measured, round by round. */
  private sealed interface Turn extends AutoCloseable {
    String name();

    double measure() throws InterruptedException;

    Subject subject();

    @Override
    void close();
  }

  private record Ours(Setting setting, Stage stage, List<Round> rounds) implements Turn {
    @Override
    public String name() {
      return setting.name();
    }

    @Override
    public double measure() throws InterruptedException {
      rounds.add(stage.measure());
      return rounds.get(rounds.size() - 1).jobsPerSecond();
    }

    @Override
    public Subject subject() {
      return new Measured(setting, rounds, new Stage.Profile(Map.of(), Heap.usedMegabytes()))
          .subject();
    }

    @Override
    public void close() {
      stage.close();
    }
  }

  private record Theirs(TransitionStage stage, List<TransitionStage.Found> rounds) implements Turn {
    @Override
    public String name() {
      return stage.name();
    }

    @Override
    public double measure() throws InterruptedException {
      rounds.add(stage.measure());
      return rounds.get(rounds.size() - 1).jobsPerSecond();
    }

    @Override
    public Subject subject() {
      Map<String, Figure> figures = new LinkedHashMap<>();
      figures.put(
          Subject.JOBS_PER_SECOND,
          new Figure("jobs/s", rounds.stream().map(TransitionStage.Found::jobsPerSecond).toList()));
      return new Subject(name(), stage.described(rounds), figures);
    }

    @Override
    public void close() {
      stage.close();
    }
  }

  @Override
  public Section run(Bench bench) throws InterruptedException {
    int batch = bench.plan().jobs(Scenarios.BATCH);
    List<Setting> settings =
        List.of(
            Scenarios.unlimited(batch),
            Scenarios.limited(batch),
            Scenarios.unlimited(batch).together().named("no limit, one store"),
            Scenarios.limited(batch).together().named("limit 10, one store"));
    List<Turn> turns = new ArrayList<>();
    List<List<Double>> found = new ArrayList<>();
    bench.progress().begin(name(), (settings.size() + 2) * bench.plan().runs());
    try {
      warmUp(bench, settings.get(0));
      for (Setting setting : settings) {
        Stage stage = new WarmStage(setting, bench.plan(), S3Venue.withLatency(LATENCY));
        turns.add(new Ours(setting, stage, new ArrayList<>()));
      }
      turns.add(theirs(bench, "object per transition, 4 × 25 threads", 25, 3_000));
      turns.add(theirs(bench, "object per transition, 4 × 1 thread", 1, 100));
      turns.forEach(any -> found.add(new ArrayList<>()));
      for (int round = 0; round < bench.plan().runs(); round++) {
        for (int index : Alternation.order(round, turns.size())) {
          double jobsPerSecond = turns.get(index).measure();
          found.get(index).add(jobsPerSecond);
          bench
              .progress()
              .step(
                  String.format(
                      Locale.ROOT, "%s %.0f jobs/s", turns.get(index).name(), jobsPerSecond));
        }
      }
      return section(turns, found, settings.size());
    } finally {
      turns.forEach(Turn::close);
      bench.progress().end();
    }
  }

  /** Has this process run through everything once. */
  private static void warmUp(Bench bench, Setting setting) throws InterruptedException {
    try (Stage stage = new WarmStage(setting, bench.plan(), S3Venue.withLatency(LATENCY));
        Theirs theirs = theirs(bench, "warm-up", 25, 1_000)) {
      stage.measure();
      theirs.measure();
    }
  }

  private static Theirs theirs(Bench bench, String name, int threadsEach, int jobs) {
    return new Theirs(
        new TransitionStage(
            name, threadsEach, bench.plan().jobs(jobs), S3Venue.withLatency(LATENCY)),
        new ArrayList<>());
  }

  private Section section(List<Turn> turns, List<List<Double>> found, int ours) {
    List<Ratio> ratios = new ArrayList<>();
    for (int other = ours; other < turns.size(); other++) {
      for (int index = 0; index < ours; index++) {
        ratios.add(
            new Ratio(
                "%s vs %s".formatted(turns.get(index).name(), turns.get(other).name()),
                quotients(found.get(index), found.get(other)),
                Optional.of(TEN_TIMES)));
      }
    }
    return new Section(
        name(),
        summary(),
        turns.stream().map(Turn::subject).toList(),
        ratios,
        List.of(),
        List.of(
            "The server is the one of the store's own tests, in this process, on the loopback"
                + " address.",
            "Object per transition: a task object, an entry in an index of ready jobs and one in an"
                + " index of leases. It has no limits, renews nothing and looks for no dead"
                + " workers."));
  }

  private static Figure quotients(List<Double> above, List<Double> below) {
    return new Figure(
        "", IntStream.range(0, above.size()).mapToObj(i -> above.get(i) / below.get(i)).toList());
  }
}
