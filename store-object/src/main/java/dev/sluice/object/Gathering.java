package dev.sluice.object;

import dev.sluice.StoreUnavailableException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Puts requests together: what gathers while one batch is worked on makes up the next. Nothing
 * waits for a batch to fill, and the more there is to do, the more share the cost of doing it.
 *
 * <p>One batch is worked on at a time. If that fails, everyone in it is told; the next batch may
 * fare better.
 */
final class Gathering<T> {
  private final Executor executor;
  private final Function<Queue<T>, List<T>> choice;
  private final Consumer<List<T>> work;
  private final Function<T, CompletableFuture<?>> answers;
  private final ArrayDeque<T> waiting = new ArrayDeque<>();
  private boolean scheduled;

  /**
   * Requests that are worked on together.
   *
   * @param executor runs one batch after the other
   * @param choice takes the next batch off the queue; at least one request if there is any
   * @param work sees to a batch
   * @param answers where a request waits for its answer
   */
  Gathering(
      Executor executor,
      Function<Queue<T>, List<T>> choice,
      Consumer<List<T>> work,
      Function<T, CompletableFuture<?>> answers) {
    this.executor = executor;
    this.choice = choice;
    this.work = work;
    this.answers = answers;
  }

  /** Takes everything there is. */
  static <T> List<T> all(Queue<T> queue) {
    List<T> all = new ArrayList<>(queue);
    queue.clear();
    return all;
  }

  /** Has this seen to with the next batch that is worked on for another reason. */
  void addSometime(T request) {
    synchronized (waiting) {
      waiting.add(request);
    }
  }

  /** Whether something is waiting to be seen to. */
  boolean hasAny() {
    synchronized (waiting) {
      return !waiting.isEmpty();
    }
  }

  /** Has this seen to as soon as the batch before is done. */
  void add(T request) {
    synchronized (waiting) {
      waiting.add(request);
      if (scheduled) {
        return;
      }
      scheduled = true;
    }
    try {
      executor.execute(this::seeToAll);
    } catch (RejectedExecutionException e) {
      StoreUnavailableException closed =
          new StoreUnavailableException("The store was closed. Open it again.", e);
      List<T> left;
      synchronized (waiting) {
        scheduled = false;
        left = all(waiting);
      }
      // Others may have relied on this call to see to theirs.
      fail(left, closed);
      throw closed;
    }
  }

  private void seeToAll() {
    while (true) {
      List<T> batch;
      synchronized (waiting) {
        batch = choice.apply(waiting);
        if (batch.isEmpty()) {
          scheduled = false;
          return;
        }
      }
      try {
        work.accept(batch);
      } catch (RuntimeException | Error e) {
        fail(batch, e);
      }
    }
  }

  private void fail(List<T> batch, Throwable cause) {
    batch.forEach(request -> answers.apply(request).completeExceptionally(cause));
  }
}
