package dev.sluice.workflow;

import dev.sluice.InvalidRequestException;
import java.util.OptionalInt;

/**
 * How much of a run may go on at once. Not part of what a workflow is: caps may differ from run to
 * run, and change while a run goes on.
 *
 * @param maxConcurrentSteps how many steps may be in flight: submitted and not ended, whether they
 *     run, wait or are between two attempts. Empty = unlimited, 0 = nothing starts
 * @param maxStepsPerTick how many steps one tick may start, 1 or more; empty = unlimited
 */
public record Caps(OptionalInt maxConcurrentSteps, OptionalInt maxStepsPerTick) {
  /** No caps. */
  public static final Caps NONE = new Caps(OptionalInt.empty(), OptionalInt.empty());

  /** Checks both. */
  public Caps {
    if (maxConcurrentSteps.orElse(0) < 0) {
      throw new InvalidRequestException(
          "max_concurrent_steps is %d; use 1 and more, 0 to hold the run, or leave it out."
              .formatted(maxConcurrentSteps.getAsInt()));
    }
    if (maxStepsPerTick.orElse(1) < 1) {
      throw new InvalidRequestException(
          "max_steps_per_tick is %d; use 1 and more, or leave it out. To hold a run, set max_concurrent_steps to 0."
              .formatted(maxStepsPerTick.getAsInt()));
    }
  }

  /** At most so many steps in flight. */
  public Caps maxConcurrentSteps(int steps) {
    return new Caps(OptionalInt.of(steps), maxStepsPerTick);
  }

  /** At most so many steps started by one tick. */
  public Caps maxStepsPerTick(int steps) {
    return new Caps(maxConcurrentSteps, OptionalInt.of(steps));
  }
}
