package dev.sluice.bench.scenario;

import dev.sluice.Sluice;
import dev.sluice.Task;
import dev.sluice.WorkerListener;
import dev.sluice.bench.report.Figure;
import dev.sluice.bench.report.Ratio;
import dev.sluice.bench.report.Ratio.Goal;
import dev.sluice.bench.report.Section;
import dev.sluice.bench.report.Subject;
import dev.sluice.bench.server.BenchDatabase;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Measures how long after its submit a job's handler starts.
 *
 * @param pace how jobs come in
 * @param goals bounds in milliseconds, by percentile
 */
record LatencyScenario(
    String name, String summary, PaceChoice pace, Map<Integer, Goal> goals, List<String> remarks)
    implements Scenario {
  private static final Task<Integer> TASK = Task.named("prompt", Integer.class).build();

  /** Finds out how fast jobs are to come in. */
  interface PaceChoice {
    Pace choose(Bench bench) throws InterruptedException;
  }

  @Override
  public String family() {
    return "latency";
  }

  @Override
  public Section run(Bench bench) throws InterruptedException {
    bench.progress().begin(name, bench.plan().runs());
    Pace chosen = pace.choose(bench);
    AtomicReference<Arrivals> awaited = new AtomicReference<>();
    Work work = new Work("nothing", (payload, job) -> awaited.get().started(payload));
    Setting setting = Setting.of("4 workers", Lot.of(TASK, chosen.jobs(bench.plan()))).work(work);
    List<Distribution> rounds = new ArrayList<>();
    try (BenchDatabase database = bench.server().createDatabase("sluice_bench_latency");
        Sluice sluice = Sluice.open(database.endpoint().url());
        Team team = new Team(database.endpoint().url(), setting);
        Team.Shift shift = team.start(new WorkerListener() {})) {
      for (int round = 0; round < bench.plan().runs(); round++) {
        database.settle();
        awaited.set(new Arrivals(setting.jobs()));
        chosen.submit(sluice, TASK, awaited.get());
        rounds.add(awaited.get().await());
        bench
            .progress()
            .step(String.format(Locale.ROOT, "p50 %.2f ms", rounds.get(round).percentile(50)));
      }
    } finally {
      bench.progress().end();
    }
    return section(setting, rounds);
  }

  private Section section(Setting setting, List<Distribution> rounds) {
    Map<String, Figure> figures = new LinkedHashMap<>();
    Percentiles.put(figures, "submit to start", rounds);
    Subject subject = new Subject(setting.name(), setting.described(), figures);
    return new Section(name, summary, List.of(subject), ratios(rounds), List.of(), remarks);
  }

  private List<Ratio> ratios(List<Distribution> rounds) {
    return goals.entrySet().stream()
        .map(
            goal ->
                new Ratio(
                    "submit to start p%d, ms".formatted(goal.getKey()),
                    Percentiles.figure(goal.getKey(), rounds),
                    Optional.of(goal.getValue())))
        .toList();
  }
}
