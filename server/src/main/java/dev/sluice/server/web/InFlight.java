package dev.sluice.server.web;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Counts the requests that are being answered, so that a stop can wait for them. */
final class InFlight {
  private int count;
  private boolean draining;

  /** Counts one; false if there must be no more. */
  synchronized boolean enter() {
    if (draining) {
      return false;
    }
    count++;
    return true;
  }

  synchronized void leave() {
    count--;
    notifyAll();
  }

  /** Lets no more in, and waits until none is left or the time is over. */
  synchronized void drain(Duration most) throws InterruptedException {
    draining = true;
    long end = System.nanoTime() + most.toNanos();
    for (long left = most.toNanos(); count > 0 && left > 0; left = end - System.nanoTime()) {
      wait(Math.max(1, TimeUnit.NANOSECONDS.toMillis(left)));
    }
  }
}
