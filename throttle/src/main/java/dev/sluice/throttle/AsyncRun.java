package dev.sluice.throttle;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Work that waits for a throttle without a thread. It is in the line as a {@link Gate.Waiter}, and
 * gets a thread when it is admitted. Whoever completes its future meanwhile takes it out of the
 * line.
 *
 * <p>Exactly one of three things happens to it: it is turned away, it leaves the line, or it is
 * admitted; the gate decides which. In the last case {@link #inside} gives the place back, whether
 * the work began or was cancelled before it could. Only if there is no thread to be had, such as
 * when the process has as many as it may, is an admitted one turned back: then the gate has its
 * place again, its future fails, and whoever left and thereby admitted it hears nothing of that.
 * After any of them, and not before all is over, {@code settled} is told, once.
 *
 * @param <T> what comes of the work
 */
final class AsyncRun<T> {
  private final Throttle throttle;
  private final LabelMeter meter;
  private final Runnable settled;
  private final Throttle.Permit permit;
  private final Errand<T> errand;
  private final CompletableFuture<T> future = new CompletableFuture<>();
  private final CompletableFuture<Void> timer = new CompletableFuture<>();
  private final long arrived = System.nanoTime();
  private Throwable noThread;

  private final Gate.Waiter waiter =
      new Gate.Waiter() {
        @Override
        boolean wake() {
          timer.cancel(false);
          return begin();
        }

        @Override
        void turnedBack() {
          fail();
        }
      };

  AsyncRun(Throttle throttle, LabelMeter meter, Work<? extends T, ?> work, Runnable settled) {
    this.throttle = throttle;
    this.meter = meter;
    this.settled = settled;
    this.permit = new Throttle.Permit(throttle, meter);
    Work<T, Exception> any = work::run;
    this.errand = new Errand<>(future, () -> Throttle.runIn(permit, any));
  }

  /** What comes of it. To complete it from outside is to cancel. */
  CompletableFuture<T> future() {
    return future;
  }

  void start() {
    // In the figures before it is in the line: once it is, it may be admitted at any moment.
    meter.queued();
    switch (throttle.gate().enterOrJoin(waiter)) {
      case ENTERED -> {
        if (!begin()) {
          throttle.gate().leave();
          fail();
        }
      }
      case WAITING -> {
        throttle.maxWait().ifPresent(longest -> expireAfter(Throttle.nanos(longest)));
        future.whenComplete((value, failure) -> cancelled());
      }
      default -> {
        meter.leftQueue();
        meter.refused();
        future.completeExceptionally(
            new ThrottleFullException(throttle, meter.label(), throttle.maxWaiting()));
        settled.run();
      }
    }
  }

  /** Sends the work to a thread. False if there is none; {@link #fail} must follow then. */
  private boolean begin() {
    try {
      throttle.threads().execute(this::inside);
      return true;
    } catch (Throwable e) { // Mostly an OutOfMemoryError: no more threads.
      noThread = e;
      return false;
    }
  }

  private void inside() {
    meter.leftQueue();
    permit.begin(System.nanoTime() - arrived);
    errand.run();
    permit.end(false); // Changes nothing unless the work was cancelled before it began.
    settled.run();
  }

  private void fail() {
    meter.leftQueue();
    meter.refused();
    future.completeExceptionally(noThread);
    settled.run();
  }

  /** Not on the JVM's only timer thread: whoever depends on the future may take long. */
  private void expireAfter(long nanos) {
    timer
        .completeOnTimeout(null, nanos, TimeUnit.NANOSECONDS)
        .thenRunAsync(this::expired, this::onThreadIfThereIsOne);
  }

  private void onThreadIfThereIsOne(Runnable task) {
    try {
      throttle.threads().execute(task);
    } catch (Throwable e) {
      task.run();
    }
  }

  private void expired() {
    if (withdraw()) {
      future.completeExceptionally(
          new ThrottleTimeoutException(throttle, meter.label(), throttle.maxWait().orElseThrow()));
      settled.run();
    }
  }

  private void cancelled() {
    timer.cancel(false);
    if (withdraw()) {
      settled.run();
    }
  }

  /** Leaves the line. False if it is not in it any more. */
  private boolean withdraw() {
    boolean left = throttle.gate().giveUp(waiter);
    if (left) {
      meter.leftQueue();
      meter.refused();
    }
    return left;
  }
}
