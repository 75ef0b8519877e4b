package dev.sluice.object;

import java.security.SecureRandom;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The threads of one open store: one for commits, one for submits, a few for chores, and many for
 * reads, which end when there is nothing to read.
 */
final class StoreThreads implements AutoCloseable {
  private static final int CHORE_THREADS = 8;
  private static final int READ_THREADS = 32;
  private static final Duration READER_IDLE = Duration.ofSeconds(5);
  private static final Duration LONGEST_CLOSE = Duration.ofSeconds(10);

  private final CountDownLatch closing = new CountDownLatch(1);
  private final ExecutorService commits;
  private final ExecutorService submits;
  private final ThreadPoolExecutor reads;
  private final ThreadPoolExecutor chores;

  StoreThreads(String name) {
    commits = threads(1, "sluice-commits-" + name);
    submits = threads(1, "sluice-submits-" + name);
    reads = threads(READ_THREADS, "sluice-reads-" + name);
    reads.setKeepAliveTime(READER_IDLE.toSeconds(), TimeUnit.SECONDS);
    reads.allowCoreThreadTimeOut(true);
    // After the close, a read that a late call asks for runs in the thread of the call.
    reads.setRejectedExecutionHandler((read, pool) -> read.run());
    chores = threads(CHORE_THREADS, "sluice-chores-" + name);
    // What is left undone when the store is closed is found and done by others.
    chores.setRejectedExecutionHandler(new ThreadPoolExecutor.DiscardPolicy());
  }

  private static ThreadPoolExecutor threads(int count, String name) {
    return new ThreadPoolExecutor(
        count,
        count,
        0,
        TimeUnit.SECONDS,
        new LinkedBlockingQueue<>(),
        task -> {
          Thread thread = new Thread(task, name);
          thread.setDaemon(true);
          return thread;
        });
  }

  StoreEnvironment environment() {
    return new StoreEnvironment(
        System::nanoTime,
        new SecureRandom(),
        nanos -> closing.await(nanos, TimeUnit.NANOSECONDS),
        CompletableFuture::get,
        commits,
        submits,
        reads,
        chores);
  }

  /** Lets what is under way end, without waiting for anything. */
  @Override
  public void close() {
    closing.countDown();
    long deadline = System.nanoTime() + LONGEST_CLOSE.toNanos();
    for (ExecutorService threads : new ExecutorService[] {submits, commits, chores}) {
      threads.shutdown();
    }
    try {
      for (ExecutorService threads : new ExecutorService[] {submits, commits, chores}) {
        if (!threads.awaitTermination(deadline - System.nanoTime(), TimeUnit.NANOSECONDS)) {
          threads.shutdownNow();
        }
      }
    } catch (InterruptedException e) {
      chores.shutdownNow();
      Thread.currentThread().interrupt();
    } finally {
      // Last, and every read that was asked for is carried out: a commit or a caller waits for it.
      reads.shutdown();
    }
  }
}
