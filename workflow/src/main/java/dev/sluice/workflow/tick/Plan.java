package dev.sluice.workflow.tick;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * What a tick decides: to be written first, then carried out. All of it may be carried out again.
 *
 * @param next how far the run has come
 * @param submit jobs to submit: steps that start, and those that started and have no job
 * @param cancel jobs to call off
 * @param children what to do about other runs
 * @param needs what has to be looked up before this can be decided; then nothing is written
 * @param figures what happened, in numbers
 */
public record Plan(
    RunProgress next,
    List<StepJobId> submit,
    List<StepJobId> cancel,
    Children children,
    Needs needs,
    Figures figures) {

  /**
   * Other runs.
   *
   * @param create runs to create, by index of the step
   * @param cancel runs to call off
   */
  public record Children(Map<Integer, UUID> create, List<UUID> cancel) {}

  /**
   * What has to be looked up.
   *
   * @param sizes the lists of these steps, by index
   * @param output what the run yields
   */
  public record Needs(Set<Integer> sizes, boolean output) {
    /** Whether there is anything. */
    public boolean any() {
      return output || !sizes.isEmpty();
    }
  }

  /**
   * What happened, in numbers.
   *
   * @param inFlight how many steps are in flight now
   * @param started how many of them were started by this tick
   * @param deferred how many could have started but for a cap
   * @param again whether another tick should follow at once
   */
  public record Figures(int inFlight, int started, int deferred, boolean again) {}
}
