package dev.sluice.workflow;

import java.time.Duration;
import java.util.UUID;

/**
 * What one tick did.
 *
 * @param run the run
 * @param type its type
 * @param state where the run is after it
 * @param took how long it took
 * @param work what it did, in numbers
 */
public record TickReport(UUID run, String type, RunState state, Duration took, Work work) {
  /**
   * What a tick did, in numbers.
   *
   * @param inFlight how many steps are in flight after it
   * @param started how many it started
   * @param deferred how many could have started but for a cap
   * @param looked how many jobs it had to look at
   */
  public record Work(int inFlight, int started, int deferred, int looked) {}
}
