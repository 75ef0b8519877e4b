package dev.sluice.bench.scenario;

import java.time.Duration;

/**
 * How thoroughly to measure.
 *
 * @param runs how many rounds
 * @param scale 1, or less to try things out: job counts and times shrink by it
 */
public record Plan(int runs, double scale) {
  /** How many rounds make a median worth telling. */
  public static final int DEFAULT_RUNS = 5;

  private static final Duration LEAST_MEASURED = Duration.ofSeconds(5);

  int jobs(int jobs) {
    return Lot.scaled(jobs, scale);
  }

  /** How long a setting is measured in each round, at least, in nanoseconds. */
  long leastNanos() {
    return Math.round(LEAST_MEASURED.toNanos() * scale);
  }
}
