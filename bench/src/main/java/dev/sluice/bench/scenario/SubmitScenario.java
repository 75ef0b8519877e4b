package dev.sluice.bench.scenario;

import dev.sluice.JobState;
import dev.sluice.Sluice;
import dev.sluice.bench.report.Figure;
import dev.sluice.bench.report.Section;
import dev.sluice.bench.report.Subject;
import dev.sluice.bench.server.BenchDatabase;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Measures how fast jobs are stored, by one thread and by several; nobody runs them. */
record SubmitScenario(String name, String summary, Submitter.Kind kind) implements Scenario {
  private static final List<Integer> THREADS = List.of(1, 4);

  @Override
  public String family() {
    return "submit";
  }

  @Override
  public Section run(Bench bench) throws InterruptedException {
    bench.progress().begin(name, THREADS.size() * bench.plan().runs());
    List<List<SubmitRound.Found>> found =
        THREADS.stream().<List<SubmitRound.Found>>map(any -> new ArrayList<>()).toList();
    try {
      for (int round = 0; round < bench.plan().runs(); round++) {
        for (int index : Alternation.order(round, THREADS.size())) {
          SubmitRound.Found each = measure(bench, THREADS.get(index));
          found.get(index).add(each);
          bench
              .progress()
              .step(
                  String.format(Locale.ROOT, "%s %.0f jobs/s", label(index), each.jobsPerSecond()));
        }
      }
    } finally {
      bench.progress().end();
    }
    List<Subject> subjects = new ArrayList<>();
    for (int index = 0; index < THREADS.size(); index++) {
      subjects.add(subject(label(index), found.get(index)));
    }
    return new Section(name, summary, subjects, List.of(), List.of(), List.of());
  }

  private static String label(int index) {
    return THREADS.get(index) == 1 ? "1 thread" : THREADS.get(index) + " threads";
  }

  private Subject subject(String label, List<SubmitRound.Found> rounds) {
    Map<String, Figure> figures = new LinkedHashMap<>();
    figures.put(
        Subject.JOBS_PER_SECOND,
        new Figure("jobs/s", rounds.stream().map(SubmitRound.Found::jobsPerSecond).toList()));
    figures.put(
        Subject.SERVER_CPU,
        ServerCpu.of(rounds.stream().map(SubmitRound.Found::serverCpu).toList()));
    Percentiles.put(figures, "call", rounds.stream().map(SubmitRound.Found::calls).toList());
    return new Subject(label, Map.of("threads", label), figures);
  }

  private SubmitRound.Found measure(Bench bench, int threads) throws InterruptedException {
    try (BenchDatabase database = bench.server().createDatabase("sluice_bench_submit");
        Sluice sluice = Sluice.open(database.endpoint().url())) {
      database.settle();
      SubmitRound round = new SubmitRound(() -> kind.open(sluice, database.endpoint()));
      SubmitRound.Found found = round.run(threads, bench.plan().leastNanos(), database.cpu());
      long stored =
          Counts.await(sluice, counts -> counts.get(JobState.READY) == found.jobs())
              .get(JobState.READY);
      if (stored != found.jobs()) {
        throw new IllegalStateException(
            "%d jobs were submitted, %d are there".formatted(found.jobs(), stored));
      }
      return found;
    }
  }
}
