package dev.sluice.workflow.tick;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.spi.JobStanding;
import dev.sluice.workflow.RunState;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Supplier;

/**
 * What a tick sees of the world.
 *
 * @param jobs the jobs that {@link Tick#watched} names, as far as they exist
 * @param children the runs that {@link Tick#children} names, as far as they exist
 * @param findings what was looked up because a plan said it needs it
 * @param now about what time it is by the store's clock, in milliseconds since 1970
 * @param runIds draws the id of a new run
 */
public record Sight(
    Map<UUID, JobStanding> jobs,
    Map<UUID, ChildSight> children,
    Findings findings,
    long now,
    Supplier<UUID> runIds) {

  /**
   * Another run.
   *
   * @param ours whether this run began it; else two runs have drawn the same id
   * @param state where it is
   * @param output what it yielded
   * @param message why it is there
   */
  public record ChildSight(
      boolean ours, RunState state, Optional<JsonNode> output, Optional<String> message) {}

  /**
   * What was looked up.
   *
   * @param sizes how long the lists are that steps go over, by index of the step
   * @param obstacles why steps cannot begin, by index: there is no list to go over, or no input for
   *     another run
   * @param faults why jobs cannot be submitted
   * @param output what the run yields, if it succeeds now
   * @param noOutput why that cannot be said
   */
  public record Findings(
      Map<Integer, Integer> sizes,
      Map<Integer, String> obstacles,
      Map<StepJobId, String> faults,
      Optional<JsonNode> output,
      Optional<String> noOutput) {
    /** Nothing yet. */
    public static final Findings NONE =
        new Findings(Map.of(), Map.of(), Map.of(), Optional.empty(), Optional.empty());
  }
}
