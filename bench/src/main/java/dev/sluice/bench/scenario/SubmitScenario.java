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
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.LongAdder;

/** Measures how fast jobs are stored, by one thread and by several; nobody runs them. */
record SubmitScenario(String name, String summary, Submitter.Kind kind) implements Scenario {
  private static final List<Integer> THREADS = List.of(1, 4);

  /**
   * What a round found.
   *
   * @param calls how long each call took
   */
  private record Found(double jobsPerSecond, Distribution calls) {}

  @Override
  public String family() {
    return "submit";
  }

  @Override
  public Section run(Bench bench) throws InterruptedException {
    bench.progress().begin(name, THREADS.size() * bench.plan().runs());
    List<List<Found>> found = THREADS.stream().<List<Found>>map(any -> new ArrayList<>()).toList();
    try {
      for (int round = 0; round < bench.plan().runs(); round++) {
        for (int index : Alternation.order(round, THREADS.size())) {
          Found each = measure(bench, THREADS.get(index));
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

  private Subject subject(String label, List<Found> rounds) {
    Map<String, Figure> figures = new LinkedHashMap<>();
    figures.put(
        Subject.JOBS_PER_SECOND,
        new Figure("jobs/s", rounds.stream().map(Found::jobsPerSecond).toList()));
    Percentiles.put(figures, "call", rounds.stream().map(Found::calls).toList());
    return new Subject(label, Map.of("threads", label), figures);
  }

  private Found measure(Bench bench, int threads) throws InterruptedException {
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try (BenchDatabase database = bench.server().createDatabase("sluice_bench_submit");
        Sluice sluice = Sluice.open(database.endpoint().url())) {
      Samples calls = new Samples();
      LongAdder jobs = new LongAdder();
      database.settle();
      long began = System.nanoTime();
      List<Future<?>> running = new ArrayList<>();
      for (int thread = 0; thread < threads; thread++) {
        running.add(
            pool.submit(
                () -> {
                  try (Submitter submitter = kind.open(sluice, database.endpoint())) {
                    while (System.nanoTime() - began < bench.plan().leastNanos()) {
                      long before = System.nanoTime();
                      jobs.add(submitter.submit());
                      calls.add(System.nanoTime() - before);
                    }
                    return null;
                  }
                }));
      }
      for (Future<?> each : running) {
        each.get();
      }
      double perSecond = Round.perSecond(jobs.sum(), System.nanoTime() - began);
      requireStored(sluice, jobs.sum());
      return new Found(perSecond, calls.drain());
    } catch (ExecutionException e) {
      throw new IllegalStateException("A submit failed: " + e.getCause(), e);
    } finally {
      pool.shutdownNow();
    }
  }

  private static void requireStored(Sluice sluice, long jobs) {
    long stored = sluice.jobs().counts().get(JobState.READY);
    if (stored != jobs) {
      throw new IllegalStateException(
          "%d jobs were submitted, %d are there".formatted(jobs, stored));
    }
  }
}
