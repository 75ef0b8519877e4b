package dev.sluice;

import java.time.Duration;
import java.util.Optional;

/**
 * Thrown by a handler: this attempt failed, another may succeed. The task's retry policy decides
 * when.
 */
public class RetryableException extends SluiceException {
  private final Duration after;

  /** Says what happened, to which thing, and what to do about it. */
  public RetryableException(String message) {
    this(message, (Duration) null);
  }

  /**
   * Says what failed and how long to wait before the next attempt, instead of what the retry policy
   * says.
   */
  public RetryableException(String message, Duration after) {
    super(message);
    this.after = after;
  }

  /** Says what happened, with its cause. */
  public RetryableException(String message, Throwable cause) {
    super(message, cause);
    this.after = null;
  }

  /** The delay asked for; empty leaves it to the retry policy. */
  public Optional<Duration> after() {
    return Optional.ofNullable(after);
  }
}
