package dev.sluice.bench.scenario;

import dev.sluice.JobState;
import dev.sluice.Sluice;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/** How many jobs there are, by state. A store with very many counts them now and then only. */
final class Counts {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Duration PAUSE = Duration.ofMillis(200);

  private Counts() {}

  /** The first counts that are as expected, or the last ones if that takes too long. */
  static Map<JobState, Long> await(Sluice sluice, Predicate<Map<JobState, Long>> expected)
      throws InterruptedException {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    Map<JobState, Long> counts = sluice.jobs().counts();
    while (!expected.test(counts) && System.nanoTime() < deadline) {
      TimeUnit.MILLISECONDS.sleep(PAUSE.toMillis());
      counts = sluice.jobs().counts();
    }
    return counts;
  }

  /** Whether no finished job is on record. */
  static boolean nothingFinished(Map<JobState, Long> counts) {
    return counts.entrySet().stream()
        .noneMatch(count -> count.getKey().finished() && count.getValue() > 0);
  }
}
