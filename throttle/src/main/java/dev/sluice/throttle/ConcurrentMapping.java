package dev.sluice.throttle;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.Semaphore;

/**
 * Many items under one throttle, one call.
 *
 * <p>Each item asks for its place when the one before it got one: the whole mapping is one in the
 * line, however many items it has, so it neither overtakes others by its size nor fills the line.
 * When something fails, what waits leaves the line and what runs is interrupted; and nothing is
 * returned or thrown before all of it has ended, so no item runs on behind the caller's back.
 *
 * @param <T> an item
 * @param <R> what comes of it
 */
final class ConcurrentMapping<T, R> {
  private final Throttle throttle;
  private final String label;
  private final Mapper<? super T, ? extends R, ?> mapper;
  private final boolean collecting;
  private final ArrayDeque<Integer> unstarted = new ArrayDeque<>();
  private final List<T> items;
  private final List<Outcome<R>> outcomes;
  private final Set<AsyncRun<?>> unsettled = Collections.newSetFromMap(new IdentityHashMap<>());

  /** Rather than {@code wait()}, which keeps a virtual thread's carrier before Java 24. */
  private final Semaphore settlements = new Semaphore(0);

  private Throwable first;
  private boolean stopped;

  ConcurrentMapping(
      Collection<? extends T> items,
      Throttle throttle,
      String label,
      Mapper<? super T, ? extends R, ?> mapper,
      boolean collecting) {
    this.throttle = throttle;
    this.label = label;
    this.mapper = mapper;
    this.collecting = collecting;
    this.items = new ArrayList<>(items);
    this.outcomes = new ArrayList<>(Collections.nCopies(this.items.size(), null));
    for (int index = 0; index < this.items.size(); index++) {
      unstarted.add(index);
    }
  }

  /**
   * Runs through all items; what came of each, in their order.
   *
   * @throws E what the first to fail has thrown, with what others threw suppressed
   * @throws InterruptedException if the calling thread was interrupted; all is over by then
   */
  <E extends Exception> List<Outcome<R>> run() throws E, InterruptedException {
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
    startNext();
    boolean interrupted = awaitAll();
    synchronized (this) {
      if (interrupted) {
        InterruptedException end = new InterruptedException();
        if (first != null) {
          end.addSuppressed(first);
        }
        throw end;
      }
      if (first instanceof Error error) {
        throw error;
      }
      if (first != null) {
        @SuppressWarnings("unchecked") // Nothing else is caught from the mapper.
        E failure = (E) first;
        throw failure;
      }
      return outcomes;
    }
  }

  /**
   * Sends the next item into the line; whoever left it calls this. An item that is turned away at
   * once is followed by the next here, in a loop, rather than from inside its own end.
   */
  private void startNext() {
    for (Item item = next(); item != null && !item.start(); ) {
      item = next();
    }
  }

  private synchronized Item next() {
    if (unstarted.isEmpty()) {
      return null;
    }
    Item item = new Item(unstarted.poll());
    unsettled.add(item.run);
    return item;
  }

  private synchronized boolean stopped() {
    return stopped;
  }

  /** An item on its way through the throttle. */
  private final class Item {
    private final int index;
    private final AsyncRun<R> run;
    private boolean begun;
    private boolean starting = true;
    private boolean turnedAway;

    Item(int index) {
      this.index = index;
      this.run = new AsyncRun<>(throttle, throttle.meter(label), this::map, this::settled);
    }

    /** False if it was turned away, so that the next is up. */
    boolean start() {
      run.start();
      if (stopped()) { // While it was on its way into the line.
        run.future().cancel(true);
      }
      synchronized (this) {
        starting = false;
        return !turnedAway;
      }
    }

    private R map() throws Exception {
      begun = true;
      try {
        if (stopped()) { // It got the place of one that was interrupted, before it was cancelled.
          throw new InterruptedException();
        }
        startNext();
        Mapper<? super T, ? extends R, ? extends Exception> any = mapper;
        R result = any.map(items.get(index));
        succeeded(index, result);
        return result;
      } catch (Exception | Error e) {
        failed(index, e);
        throw e;
      }
    }

    /** Runs after {@link #map}, if that ran at all. */
    private void settled() {
      if (!begun) {
        run.future().whenComplete((value, refusal) -> refused(refusal));
        if (leftTheLineLater()) {
          startNext();
        }
      }
      over(run);
    }

    private void refused(Throwable refusal) {
      if (!(refusal instanceof CancellationException)) {
        failed(index, refusal);
      }
    }

    private synchronized boolean leftTheLineLater() {
      turnedAway = true;
      return !starting;
    }
  }

  private synchronized void succeeded(int index, R result) {
    outcomes.set(index, new Outcome.Success<>(result));
  }

  private void failed(int index, Throwable failure) {
    List<AsyncRun<?>> rest;
    synchronized (this) {
      if (stopped) {
        boolean consequence = failure instanceof InterruptedException;
        if (first != null && failure != first && !consequence) {
          first.addSuppressed(failure);
        }
        return;
      }
      if (collecting && failure instanceof Exception cause) {
        outcomes.set(index, new Outcome.Failure<>(cause));
        return;
      }
      first = failure;
      rest = stop(); // In the same breath: another failure is no longer the first.
    }
    cancel(rest);
  }

  /** Starts nothing more; what is to be cancelled. */
  private synchronized List<AsyncRun<?>> stop() {
    stopped = true;
    unstarted.clear();
    return List.copyOf(unsettled);
  }

  /** Never under the lock: to cancel one may settle it here and now. */
  private static void cancel(List<AsyncRun<?>> rest) {
    rest.forEach(run -> run.future().cancel(true));
  }

  private void over(AsyncRun<?> run) {
    synchronized (this) {
      unsettled.remove(run);
    }
    settlements.release();
  }

  private synchronized boolean allOver() {
    return unsettled.isEmpty();
  }

  /** Waits until nothing is left; whether this thread was interrupted meanwhile. */
  private boolean awaitAll() {
    boolean interrupted = false;
    while (true) {
      try {
        while (!allOver()) {
          settlements.acquire();
        }
        return interrupted;
      } catch (InterruptedException e) {
        interrupted = true;
        cancel(stop());
      }
    }
  }
}
