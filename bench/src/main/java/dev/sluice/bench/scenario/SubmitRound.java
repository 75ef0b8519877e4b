package dev.sluice.bench.scenario;

import dev.sluice.bench.server.CpuClock;
import dev.sluice.bench.server.CpuTime;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.LongAdder;

/** Threads that submit as fast as they can, for a while. For one use. */
final class SubmitRound {
  private final Callable<Submitter> submitters;
  private final Samples calls = new Samples();
  private final LongAdder jobs = new LongAdder();

  /**
   * What was found.
   *
   * @param jobs how many jobs were submitted
   * @param nanos how long that took
   * @param calls how long each call took
   * @param serverCpu what the server spent meanwhile
   */
  record Found(long jobs, long nanos, Distribution calls, CpuTime serverCpu) {
    double jobsPerSecond() {
      return Round.perSecond(jobs, nanos);
    }
  }

  SubmitRound(Callable<Submitter> submitters) {
    this.submitters = submitters;
  }

  Found run(int threads, long nanos, CpuClock cpu) throws InterruptedException {
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try {
      CpuClock.Count spent = cpu.start();
      long began = System.nanoTime();
      List<Callable<Void>> loops = Collections.nCopies(threads, () -> submitFor(nanos));
      for (Future<Void> loop : pool.invokeAll(loops)) {
        loop.get();
      }
      long took = System.nanoTime() - began;
      return new Found(jobs.sum(), took, calls.drain(), spent.stop(jobs.sum()));
    } catch (ExecutionException e) {
      throw new IllegalStateException("A submit failed", e.getCause());
    } finally {
      pool.shutdownNow();
    }
  }

  private Void submitFor(long nanos) throws Exception {
    try (Submitter submitter = submitters.call()) {
      long began = System.nanoTime();
      long now = began;
      while (now - began < nanos) {
        jobs.add(submitter.submit());
        long after = System.nanoTime();
        calls.add(after - now);
        now = after;
      }
      return null;
    }
  }
}
