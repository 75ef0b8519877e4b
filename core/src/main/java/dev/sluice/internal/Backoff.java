package dev.sluice.internal;

import java.time.Duration;

/** Growing waits between tries while the store cannot be reached. One thread's own. */
final class Backoff {
  private static final Duration FIRST = Duration.ofMillis(100);
  private static final Duration LONGEST = Duration.ofSeconds(2);

  private final WorkerEnvironment environment;
  private Duration next = FIRST;

  Backoff(WorkerEnvironment environment) {
    this.environment = environment;
  }

  void reset() {
    next = FIRST;
  }

  void pause() throws InterruptedException {
    Thread.sleep(Duration.ofNanos(environment.jittered(next.toNanos())).toMillis());
    Duration doubled = next.multipliedBy(2);
    next = doubled.compareTo(LONGEST) > 0 ? LONGEST : doubled;
  }
}
