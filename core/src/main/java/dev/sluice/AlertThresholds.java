package dev.sluice;

import java.time.Duration;
import java.util.Objects;

/**
 * From when on an {@link Alert} is raised. Immutable, built as a chain from {@link #DEFAULT}.
 *
 * @param unserved how long a job may be due that no live worker serves; default one minute
 * @param waiting how long a job may be due and not started, served or not; default 30 minutes
 * @param failureShare which share of a task's recent attempts may fail, 0 to 1; default one half
 * @param failureAttempts how many attempts must have ended before their share counts, 1 or more;
 *     default 20
 * @param heldGroups whether groups held at 0 are raised; default yes
 */
public record AlertThresholds(
    Duration unserved,
    Duration waiting,
    double failureShare,
    int failureAttempts,
    boolean heldGroups) {
  /** The defaults. */
  public static final AlertThresholds DEFAULT =
      new AlertThresholds(Duration.ofMinutes(1), Duration.ofMinutes(30), 0.5, 20, true);

  /** Checks that each is in its range. */
  public AlertThresholds {
    requireNotNegative("unserved", unserved);
    requireNotNegative("waiting", waiting);
    if (!(failureShare >= 0 && failureShare <= 1)) {
      throw new InvalidRequestException(
          "failureShare is %s; use a number from 0 to 1.".formatted(failureShare));
    }
    if (failureAttempts < 1) {
      throw new InvalidRequestException(
          "failureAttempts is %d; use 1 or more.".formatted(failureAttempts));
    }
  }

  private static void requireNotNegative(String name, Duration duration) {
    if (Objects.requireNonNull(duration, name).isNegative()) {
      throw new InvalidRequestException("%s is %s; use 0 or more.".formatted(name, duration));
    }
  }

  /** With another time after which a job that no live worker serves is raised. */
  public AlertThresholds unserved(Duration unserved) {
    return new AlertThresholds(unserved, waiting, failureShare, failureAttempts, heldGroups);
  }

  /** With another time after which a waiting job is raised. */
  public AlertThresholds waiting(Duration waiting) {
    return new AlertThresholds(unserved, waiting, failureShare, failureAttempts, heldGroups);
  }

  /** With another share of attempts that may fail, of so many that ended. */
  public AlertThresholds failures(double share, int attempts) {
    return new AlertThresholds(unserved, waiting, share, attempts, heldGroups);
  }

  /** With or without alerts for groups held at 0. */
  public AlertThresholds heldGroups(boolean heldGroups) {
    return new AlertThresholds(unserved, waiting, failureShare, failureAttempts, heldGroups);
  }
}
