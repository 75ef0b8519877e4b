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
 * the work began or was cancelled before it could. After any of them, and not before all is over,
 * {@code settled} is told, once.
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

  private final Gate.Waiter waiter =
      new Gate.Waiter() {
        @Override
        void wake() {
          timer.cancel(false);
          inside();
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
      case ENTERED -> inside();
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

  private void inside() {
    meter.leftQueue();
    permit.begin(System.nanoTime() - arrived);
    Threads.start(
        () -> {
          errand.run();
          permit.end(false); // Changes nothing unless the work was cancelled before it began.
          settled.run();
        });
  }

  private void expireAfter(long nanos) {
    timer.completeOnTimeout(null, nanos, TimeUnit.NANOSECONDS).thenRun(this::expired);
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
