package dev.sluice;

import dev.sluice.internal.Durations;
import java.time.Duration;
import java.util.function.DoubleSupplier;

/**
 * When a failed job is tried again: exponential backoff with jitter. Immutable.
 *
 * @param maxAttempts how many attempts a job gets in all, 1 or more
 * @param firstDelay the wait after the first failure
 * @param multiplier by how much each wait is longer than the one before, 1 or more
 * @param maxDelay no wait is longer than this
 * @param jitter by what share a wait may be shorter or longer, 0 to 1, so that failures do not
 *     return in step
 */
public record RetryPolicy(
    int maxAttempts, Duration firstDelay, double multiplier, Duration maxDelay, double jitter) {
  /** Five attempts, after about 1, 2, 4 and 8 seconds. */
  public static final RetryPolicy DEFAULT = exponential().build();

  /** One attempt. */
  public static final RetryPolicy NONE = exponential().maxAttempts(1).build();

  /** Checks every setting. */
  public RetryPolicy {
    require(maxAttempts >= 1, "maxAttempts", maxAttempts, "1 or more");
    require(!firstDelay.isNegative(), "firstDelay", firstDelay, "zero or more");
    require(multiplier >= 1, "multiplier", multiplier, "1 or more");
    require(maxDelay.compareTo(firstDelay) >= 0, "maxDelay", maxDelay, "at least firstDelay");
    require(jitter >= 0 && jitter <= 1, "jitter", jitter, "between 0 and 1");
  }

  /** A builder that starts with 5 attempts, 1 s, doubling, at most 5 min, jitter 0.2. */
  public static Builder exponential() {
    return new Builder();
  }

  /** Whether a job that has failed this many attempts gets another one. */
  public boolean allowsAnotherAfter(int attempts) {
    return attempts < maxAttempts;
  }

  /**
   * The wait after the given attempt (1 = the first) failed; {@code random} yields numbers in [0,
   * 1).
   */
  public Duration delayAfter(int attempt, DoubleSupplier random) {
    double exact = firstDelay.toMillis() * Math.pow(multiplier, Math.max(0, attempt - 1));
    double bounded = Math.min(exact, maxDelay.toMillis());
    double jittered = bounded * (1 + jitter * (2 * random.getAsDouble() - 1));
    return Duration.ofMillis(Math.round(jittered));
  }

  private static void require(boolean holds, String property, Object value, String allowed) {
    if (!holds) {
      Object shown = value instanceof Duration duration ? Durations.format(duration) : value;
      throw new InvalidRequestException(
          "RetryPolicy " + property + " is " + shown + "; it must be " + allowed + ".");
    }
  }

  /** Builds a policy; not thread-safe. */
  public static final class Builder {
    private int maxAttempts = 5;
    private Duration firstDelay = Duration.ofSeconds(1);
    private double multiplier = 2;
    private Duration maxDelay = Duration.ofMinutes(5);
    private double jitter = 0.2;

    private Builder() {}

    /** Attempts in all; default 5. */
    public Builder maxAttempts(int maxAttempts) {
      this.maxAttempts = maxAttempts;
      return this;
    }

    /** The wait after the first failure; default 1 s. */
    public Builder firstDelay(Duration firstDelay) {
      this.firstDelay = firstDelay;
      return this;
    }

    /** Growth of the wait; default 2. */
    public Builder multiplier(double multiplier) {
      this.multiplier = multiplier;
      return this;
    }

    /** The longest wait; default 5 min. */
    public Builder maxDelay(Duration maxDelay) {
      this.maxDelay = maxDelay;
      return this;
    }

    /** The share by which a wait varies; default 0.2. */
    public Builder jitter(double jitter) {
      this.jitter = jitter;
      return this;
    }

    /**
     * The policy.
     *
     * @throws InvalidRequestException if a setting is out of range; the message names it
     */
    public RetryPolicy build() {
      return new RetryPolicy(
          maxAttempts,
          firstDelay,
          multiplier,
          maxDelay.compareTo(firstDelay) < 0 && maxDelay.equals(Duration.ofMinutes(5))
              ? firstDelay
              : maxDelay,
          jitter);
    }
  }
}
