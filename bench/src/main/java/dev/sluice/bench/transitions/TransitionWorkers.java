package dev.sluice.bench.transitions;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Workers of a {@link TransitionQueue}. The threads of a worker share what it has listed, each
 * takes jobs from there one after the other, and the list is made anew when it is used up. Workers
 * go through it in different orders, so that they seldom want the same job.
 */
public final class TransitionWorkers {
  private final TransitionQueue queue;
  private final AtomicInteger left;
  private final AtomicLong began = new AtomicLong();
  private final AtomicLong ended = new AtomicLong();
  private volatile boolean stopped;

  /** Workers that are to run so many jobs. */
  public TransitionWorkers(TransitionQueue queue, int jobs) {
    this.queue = queue;
    this.left = new AtomicInteger(jobs);
  }

  /**
   * Runs all jobs, which do nothing, and says how long that took: from the first claim to the last
   * completion, in nanoseconds.
   */
  public long run(int workers, int threadsEach) throws InterruptedException {
    ExecutorService threads = Executors.newFixedThreadPool(workers * threadsEach);
    List<CompletableFuture<Void>> running = new ArrayList<>();
    for (int worker = 0; worker < workers; worker++) {
      String name = "worker-" + worker;
      Candidates candidates = new Candidates(2 * threadsEach);
      for (int thread = 0; thread < threadsEach; thread++) {
        running.add(
            CompletableFuture.runAsync(() -> work(name, candidates), threads)
                .whenComplete((nothing, failure) -> stopped |= failure != null));
      }
    }
    try {
      CompletableFuture.allOf(running.toArray(CompletableFuture[]::new)).get();
      return ended.get() - began.get();
    } catch (ExecutionException e) {
      throw new IllegalStateException(left.get() + " jobs were not run", e.getCause());
    } finally {
      threads.shutdownNow();
    }
  }

  private void work(String worker, Candidates candidates) {
    while (!stopped && left.get() > 0) {
      String id = candidates.next();
      if (id != null) {
        queue
            .claim(id, worker)
            .ifPresent(
                claim -> {
                  began.compareAndSet(0, System.nanoTime());
                  if (!queue.complete(claim, worker)) {
                    throw new IllegalStateException("Job " + id + " was taken away");
                  }
                  ended.accumulateAndGet(System.nanoTime(), Math::max);
                  left.decrementAndGet();
                });
      }
    }
  }

  /** What a worker has listed and not tried yet. */
  private final class Candidates {
    private final int most;
    private final ConcurrentLinkedQueue<String> ids = new ConcurrentLinkedQueue<>();

    Candidates(int most) {
      this.most = most;
    }

    String next() {
      String id = ids.poll();
      return id == null ? list() : id;
    }

    private synchronized String list() {
      String listedMeanwhile = ids.poll();
      if (listedMeanwhile != null || left.get() == 0) {
        return listedMeanwhile;
      }
      List<String> listed = new ArrayList<>(queue.ready());
      Collections.shuffle(listed);
      ids.addAll(listed.subList(0, Math.min(most, listed.size())));
      return ids.poll();
    }
  }
}
