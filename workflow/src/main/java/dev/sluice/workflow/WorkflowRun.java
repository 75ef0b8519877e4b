package dev.sluice.workflow;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.JobInfo;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * A run, as it was when it was read.
 *
 * @param id its id
 * @param definition the definition it goes by
 * @param state where it is
 * @param message why it is there, if somebody should know
 * @param data what went in and came out
 * @param steps its steps, in the order of the definition
 */
public record WorkflowRun(
    UUID id,
    WorkflowDefinition definition,
    RunState state,
    Optional<String> message,
    Data data,
    List<Step> steps) {

  /**
   * What belongs to a run besides its steps.
   *
   * @param caps its caps
   * @param input what it was started with
   * @param output what it yielded
   * @param parent the run that began it
   * @param createdAt when it was created, by the store's clock
   * @param updatedAt when it last changed
   */
  public record Data(
      Caps caps,
      JsonNode input,
      Optional<JsonNode> output,
      Optional<UUID> parent,
      Instant createdAt,
      Instant updatedAt) {}

  /**
   * A step of a run.
   *
   * @param definition what it does
   * @param state where it is
   * @param attempt which attempt is or was the latest
   * @param error why it failed
   * @param items how far a step over a list has come
   * @param job its job, if it has one and was asked for
   */
  public record Step(
      StepDefinition definition,
      StepState state,
      int attempt,
      Optional<String> error,
      Optional<Items> items,
      Optional<JobInfo> job) {
    /** Its name. */
    public String name() {
      return definition.name();
    }

    private int deferred(Map<String, Step> steps) {
      return switch (state) {
        case RUNNING -> items.map(Items::notStarted).orElse(0);
        case PENDING ->
            definition.dependsOn().stream().allMatch(on -> steps.get(on).isPassed()) ? 1 : 0;
        default -> 0;
      };
    }

    /** Whether those that depend on it may start. */
    public boolean isPassed() {
      return state == StepState.SUCCEEDED
          || (state == StepState.FAILED && definition.policy().onFailure() == OnFailure.CONTINUE);
    }
  }

  /** How many elements a step over a list has, and how many of them are where. */
  public record Items(int size, int succeeded, int inFlight, int failed) {
    int notStarted() {
      return size - succeeded - inFlight - failed;
    }
  }

  /** The type of the workflow. */
  public String type() {
    return definition.type();
  }

  /** The step of this name. */
  public Optional<Step> step(String name) {
    return steps.stream().filter(step -> step.name().equals(name)).findFirst();
  }

  /** How many steps count against its cap, as of its last tick; each element of a list is one. */
  public int inFlight() {
    return steps.stream()
        .filter(step -> step.state == StepState.RUNNING && step.definition.work().isCounted())
        .mapToInt(step -> step.items.map(Items::inFlight).orElse(1))
        .sum();
  }

  /** How many more could start now, but for a cap. */
  public int deferred() {
    if (state.finished() || state == RunState.PAUSED || state == RunState.COMPENSATING) {
      return 0;
    }
    Map<String, Step> byName = steps.stream().collect(Collectors.toMap(Step::name, step -> step));
    return steps.stream().mapToInt(step -> step.deferred(byName)).sum();
  }
}
