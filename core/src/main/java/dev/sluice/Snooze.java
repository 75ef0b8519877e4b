package dev.sluice;

import dev.sluice.internal.Durations;
import java.time.Duration;
import java.util.Objects;

/** Thrown by a handler: not now, run this job again after a while. The attempt does not count. */
public final class Snooze extends SluiceException {
  private final Duration delay;

  /** Puts the job back for {@code delay}; zero or more. */
  public Snooze(Duration delay) {
    super("snoozed for " + Durations.format(Objects.requireNonNull(delay, "delay")));
    if (delay.isNegative()) {
      throw new InvalidRequestException(
          "A snooze of " + Durations.format(delay) + " lies in the past; use zero or more.");
    }
    this.delay = delay;
  }

  /** How long the job sleeps. */
  public Duration delay() {
    return delay;
  }
}
