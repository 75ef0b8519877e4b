package dev.sluice.object;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.DoubleSupplier;

/**
 * How often a request is tried, and how long is waited in between: a random part of a time that
 * doubles with every try, so that those who met once do not meet again.
 *
 * @param tries how often in all, at least 1
 * @param first the longest wait after the first try
 * @param longest what no wait exceeds
 * @param patience after which no further try is begun
 * @param random numbers in [0, 1)
 */
record RetrySchedule(
    int tries, Duration first, Duration longest, Duration patience, DoubleSupplier random) {

  /** Six tries within about 15 seconds, for a store that answers within some tens of ms. */
  static RetrySchedule standard() {
    return new RetrySchedule(
        6,
        Duration.ofMillis(50),
        Duration.ofSeconds(2),
        Duration.ofSeconds(15),
        () -> ThreadLocalRandom.current().nextDouble());
  }

  /** The tries of one request, which begins now. */
  Run begin() {
    return new Run();
  }

  /** The tries of one request. One thread's own. */
  final class Run {
    private final long start = System.nanoTime();
    private int done = 1;
    private Duration wait = first;

    /**
     * Waits for the next try.
     *
     * @return false if there is none: the tries are used up, or the thread is interrupted
     */
    boolean next() {
      if (done == tries || System.nanoTime() - start >= patience.toNanos()) {
        return false;
      }
      done++;
      try {
        Thread.sleep((long) (wait.toMillis() * random.getAsDouble()));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return false;
      }
      Duration doubled = wait.multipliedBy(2);
      wait = doubled.compareTo(longest) > 0 ? longest : doubled;
      return true;
    }
  }
}
