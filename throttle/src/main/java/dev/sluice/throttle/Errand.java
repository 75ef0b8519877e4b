package dev.sluice.throttle;

import java.util.concurrent.CompletableFuture;

/**
 * Work on a thread of its own, which is interrupted when somebody else completes its future. The
 * interrupt reaches the thread only while the work is on it: a pool's thread goes on to other work.
 *
 * @param <T> what comes of the work
 */
final class Errand<T> implements Runnable {
  private final CompletableFuture<T> future;
  private final Work<? extends T, ?> work;
  private Thread thread;
  private boolean over;

  /** This work; what comes of it goes to this future. */
  Errand(CompletableFuture<T> future, Work<? extends T, ?> work) {
    this.future = future;
    this.work = work;
    future.whenComplete((value, failure) -> cancel());
  }

  @Override
  public void run() {
    if (!begin()) {
      return;
    }
    T value = null;
    Throwable failure = null;
    try {
      value = work.run();
    } catch (Throwable e) {
      failure = e;
    }
    end();
    if (failure == null) {
      future.complete(value);
    } else {
      future.completeExceptionally(failure);
    }
  }

  /** Sees to it that the work does not begin, or is interrupted. */
  synchronized void cancel() {
    over = true;
    if (thread != null) {
      thread.interrupt();
    }
  }

  private synchronized boolean begin() {
    if (!over) {
      thread = Thread.currentThread();
    }
    return !over;
  }

  private synchronized void end() {
    thread = null;
    Thread.interrupted();
  }
}
