package dev.sluice.bench.scenario;

import dev.sluice.bench.server.S3Venue;
import dev.sluice.bench.transitions.TransitionQueue;
import dev.sluice.bench.transitions.TransitionWorkers;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** The queue with an object for every transition, ready to be measured again and again. */
final class TransitionStage implements AutoCloseable {
  private static final int WORKERS = 4;
  private static final int SUBMITTERS = 100;

  private final String name;
  private final int threadsEach;
  private final int jobs;
  private final S3Venue venue;
  private final TransitionQueue queue;
  private int submitted;

  /**
   * A batch that was run.
   *
   * @param nanos how long that took
   * @param requests how many requests it took, those of the submits included, by kind
   */
  record Found(int jobs, long nanos, Map<String, Long> requests) {
    double jobsPerSecond() {
      return Round.perSecond(jobs, nanos);
    }
  }

  /**
   * @param threadsEach how many jobs each of the four workers has at once
   * @param jobs how many a batch has
   * @param venue closed with it
   */
  TransitionStage(String name, int threadsEach, int jobs, S3Venue venue) {
    this.name = name;
    this.threadsEach = threadsEach;
    this.jobs = jobs;
    this.venue = venue;
    this.queue =
        new TransitionQueue(
            venue.endpoint(), venue.bucket(), Math.max(SUBMITTERS, WORKERS * threadsEach));
  }

  String name() {
    return name;
  }

  /** Submits a batch and runs it. */
  Found measure() throws InterruptedException {
    Map<String, Long> before = queue.requests();
    submit();
    long nanos = new TransitionWorkers(queue, jobs).run(WORKERS, threadsEach);
    Map<String, Long> taken = new TreeMap<>(queue.requests());
    taken.replaceAll((kind, count) -> count - before.getOrDefault(kind, 0L));
    return new Found(jobs, nanos, taken);
  }

  private void submit() throws InterruptedException {
    ExecutorService threads = Executors.newFixedThreadPool(SUBMITTERS);
    try {
      List<Future<?>> submits = new ArrayList<>();
      for (int job = 0; job < jobs; job++) {
        String id = String.format(Locale.ROOT, "%012d", submitted++);
        submits.add(threads.submit(() -> queue.submit(id)));
      }
      for (Future<?> submit : submits) {
        submit.get();
      }
    } catch (ExecutionException e) {
      throw new IllegalStateException("Jobs could not be submitted", e.getCause());
    } finally {
      threads.shutdownNow();
    }
  }

  /** For people to read. */
  Map<String, String> described(List<Found> rounds) {
    Map<String, String> described = new LinkedHashMap<>();
    described.put("workers", Integer.toString(WORKERS));
    described.put("threads", Integer.toString(WORKERS * threadsEach));
    described.put("jobs per batch", Integer.toString(jobs));
    Found last = rounds.get(rounds.size() - 1);
    last.requests.forEach(
        (kind, count) ->
            described.put(
                kind + " per job", String.format(Locale.ROOT, "%.2f", (double) count / jobs)));
    return described;
  }

  @Override
  public void close() {
    queue.close();
    venue.close();
  }
}
