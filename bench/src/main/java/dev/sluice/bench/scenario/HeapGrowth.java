package dev.sluice.bench.scenario;

import dev.sluice.Sluice;
import dev.sluice.Task;
import dev.sluice.Worker;
import dev.sluice.bench.report.Curve;
import dev.sluice.bench.server.BenchDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;

/**
 * Measures what a worker keeps in memory while jobs are pending: its own few, however many wait.
 */
final class HeapGrowth {
  private static final int THREADS = 64;

  private HeapGrowth() {}

  static Curve measure(Bench bench, List<Integer> backlogs) throws InterruptedException {
    List<Curve.Point> points = new ArrayList<>();
    bench.progress().begin("heap", backlogs.size());
    try {
      for (int backlog : backlogs) {
        points.add(new Curve.Point(backlog, megabytes(bench, backlog)));
        bench.progress().step(backlog + " jobs pending");
      }
    } finally {
      bench.progress().end();
    }
    return new Curve(
        "memory of a worker against backlog", "one worker", "jobs", "heap in MB", points);
  }

  private static double megabytes(Bench bench, int backlog) throws InterruptedException {
    Task<Integer> task = Scenarios.task("pending").build();
    CountDownLatch busy = new CountDownLatch(Math.min(THREADS, backlog));
    try (BenchDatabase database = bench.server().createDatabase("sluice_bench_heap");
        Sluice sluice = Sluice.open(database.endpoint().url())) {
      sluice.submitAll(task, IntStream.range(0, backlog)::iterator);
      try (Worker worker =
          sluice
              .worker()
              .concurrency(THREADS)
              .grace(Duration.ZERO)
              .handle(
                  task,
                  (payload, job) -> {
                    busy.countDown();
                    Thread.sleep(Long.MAX_VALUE);
                  })
              .start()) {
        busy.await();
        return Heap.usedMegabytes();
      }
    }
  }
}
