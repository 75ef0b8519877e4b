package dev.sluice.object;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.IntFunction;

/** Threads that set off together. */
final class Race {
  private Race() {}

  /** Runs what the function makes for each number below {@code runners}, all at once. */
  static <T> List<T> run(int runners, IntFunction<Callable<T>> runner) throws Exception {
    CyclicBarrier start = new CyclicBarrier(runners);
    ExecutorService threads = Executors.newFixedThreadPool(runners);
    try {
      List<Future<T>> futures = new ArrayList<>();
      for (int i = 0; i < runners; i++) {
        Callable<T> work = runner.apply(i);
        futures.add(
            threads.submit(
                () -> {
                  start.await();
                  return work.call();
                }));
      }
      List<T> results = new ArrayList<>();
      for (Future<T> future : futures) {
        results.add(future.get());
      }
      return results;
    } finally {
      threads.shutdownNow();
    }
  }
}
