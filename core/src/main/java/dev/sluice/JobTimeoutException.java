package dev.sluice;

import dev.sluice.internal.Durations;
import java.time.Duration;

/**
 * The failure on record for an attempt that ran longer than its timeout; its cause is what the
 * handler threw when it was interrupted, if anything.
 */
public class JobTimeoutException extends SluiceException {
  /** Says how long the attempt was allowed to run. */
  public JobTimeoutException(Duration timeout, Throwable cause) {
    super("timed out after " + Durations.format(timeout), cause);
  }
}
