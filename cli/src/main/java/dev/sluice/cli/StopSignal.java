package dev.sluice.cli;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jline.utils.Signals;

/**
 * Waits for SIGINT, SIGTERM or SIGHUP. The first asks for an orderly stop; the second ends the
 * process at once. Signals and not a shutdown hook: hooks run side by side, and the store's own
 * must not run before the worker has drained.
 */
final class StopSignal {
  private static final int INTERRUPTED = 130;

  private final CountDownLatch asked = new CountDownLatch(1);

  private StopSignal() {}

  static StopSignal install() {
    StopSignal signal = new StopSignal();
    for (String name : new String[] {"INT", "TERM", "HUP"}) {
      Signals.register(name, signal::arrived);
    }
    return signal;
  }

  private void arrived() {
    if (asked.getCount() == 0) {
      Runtime.getRuntime().halt(INTERRUPTED);
    }
    asked.countDown();
  }

  void await() throws InterruptedException {
    asked.await();
  }

  /** Whether the signal came within this time. */
  boolean await(Duration atMost) throws InterruptedException {
    return asked.await(atMost.toNanos(), TimeUnit.NANOSECONDS);
  }
}
