package dev.sluice.bench.scenario;

import static java.util.concurrent.CompletableFuture.runAsync;

import dev.sluice.JobContext;
import dev.sluice.JobState;
import dev.sluice.Sluice;
import dev.sluice.Task;
import dev.sluice.WorkerListener;
import dev.sluice.bench.server.Venue;
import dev.sluice.object.RequestMeter;
import dev.sluice.object.RequestReport;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/**
 * Counts what jobs cost that share a store with many others. So many callers submit one job each,
 * wait for its end and submit the next; so there are always as many jobs in flight as callers.
 */
final class JobsInFlight {
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private final int callers;
  private final int jobs;
  private final Map<UUID, CompletableFuture<Void>> ends = new ConcurrentHashMap<>();

  /**
   * @param callers how many jobs are in flight
   * @param jobs how many are run in all
   */
  JobsInFlight(int callers, int jobs) {
    this.callers = callers;
    this.jobs = jobs;
  }

  /** What was found: requests for each job, and how fast they went. */
  record Found(Usage usage, double jobsPerSecond) {}

  /** Runs the jobs on four workers, each with a store of its own, as many threads as callers. */
  Found count(Venue venue, Task<Integer> task) throws InterruptedException {
    String url = MeteredStoreProvider.metered(venue.url());
    RequestMeter meter = MeteredStoreProvider.meter(url);
    Setting setting = Setting.of("in flight", Lot.of(task, jobs)).crew(4, callers);
    WorkerListener listener =
        new WorkerListener() {
          @Override
          public void onSuccess(JobContext job, Duration took) {
            end(job.jobId()).complete(null);
          }
        };
    try (Sluice sluice = Sluice.open(url);
        Team team = new Team(url, setting);
        Team.Shift shift = team.start(listener)) {
      RequestReport before = meter.report();
      long began = System.nanoTime();
      callAll(sluice, task);
      long nanos = System.nanoTime() - began;
      Usage usage = new Usage(meter.report().since(before), jobs);
      long succeeded = sluice.jobs().counts().get(JobState.SUCCEEDED);
      if (succeeded != jobs) {
        throw new IllegalStateException(
            "%d jobs were run, %d succeeded".formatted(jobs, succeeded));
      }
      return new Found(usage, Round.perSecond(jobs, nanos));
    }
  }

  private CompletableFuture<Void> end(UUID job) {
    return ends.computeIfAbsent(job, any -> new CompletableFuture<>());
  }

  private void callAll(Sluice sluice, Task<Integer> task) throws InterruptedException {
    ExecutorService threads = Executors.newFixedThreadPool(callers);
    AtomicInteger next = new AtomicInteger();
    try {
      CompletableFuture.allOf(
              IntStream.range(0, callers)
                  .mapToObj(any -> runAsync(() -> call(sluice, task, next), threads))
                  .toArray(CompletableFuture[]::new))
          .get();
    } catch (ExecutionException e) {
      throw new IllegalStateException("A caller gave up", e.getCause());
    } finally {
      threads.shutdownNow();
    }
  }

  private void call(Sluice sluice, Task<Integer> task, AtomicInteger next) {
    for (int job = next.getAndIncrement(); job < jobs; job = next.getAndIncrement()) {
      UUID id = sluice.submit(task, job).id();
      end(id).orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
      ends.remove(id);
    }
  }
}
