package dev.sluice.workflow;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.InvalidRequestException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;

/**
 * A workflow: a graph of steps. Immutable, and valid once it exists; JSON and the builder make the
 * same thing.
 *
 * @param type what it is called
 * @param version which edition of the type this is; runs never go back to a lower one. Default 0
 * @param caps what its runs begin with
 * @param steps its steps
 * @param output what a run yields when it has succeeded: JSON in which references are replaced
 */
public record WorkflowDefinition(
    String type, int version, Caps caps, List<StepDefinition> steps, Optional<JsonNode> output) {

  /**
   * Checks everything.
   *
   * @throws InvalidRequestException if something is wrong; the message names the step and the field
   */
  public WorkflowDefinition {
    steps = List.copyOf(steps);
    output = output.map(Refs::canonical);
    DefinitionCheck.check(type, version, steps, output);
  }

  /** Starts a workflow of this type. */
  public static Builder named(String type) {
    return new Builder(type);
  }

  /**
   * Reads a definition from JSON.
   *
   * @throws InvalidRequestException if something is wrong; the message names the step and the field
   */
  public static WorkflowDefinition parse(String json) {
    return DefinitionJson.read(json);
  }

  /** Reads a definition, or a list of them: a workflow and those it runs as children. */
  public static List<WorkflowDefinition> parseAll(String json) {
    return DefinitionJson.readAll(json);
  }

  /** The definition as JSON, which {@link #parse} reads. */
  public String toJson() {
    return DefinitionJson.write(this).toString();
  }

  /** Names everything a run depends on; caps are not part of it. */
  public String hash() {
    return DefinitionJson.hash(this);
  }

  /** The names of the signals that steps wait for, in order. */
  public Set<String> signals() {
    Set<String> names = new TreeSet<>();
    for (StepDefinition step : steps) {
      if (step.work() instanceof StepWork.Signal signal) {
        names.add(signal.signal());
      }
    }
    return names;
  }

  /** The step of this name. */
  public Optional<StepDefinition> step(String name) {
    return steps.stream().filter(step -> step.name().equals(name)).findFirst();
  }

  /** Builds a workflow; not thread-safe. */
  public static final class Builder {
    private final String type;
    private final List<StepDefinition> steps = new ArrayList<>();
    private int version;
    private OptionalInt maxConcurrentSteps = OptionalInt.empty();
    private OptionalInt maxStepsPerTick = OptionalInt.empty();
    private JsonNode output;

    private Builder(String type) {
      this.type = type;
    }

    /** Which edition this is; default 0. */
    public Builder version(int version) {
      this.version = version;
      return this;
    }

    /** How many steps of a run may be in flight; default unlimited, 0 holds. */
    public Builder maxConcurrentSteps(int steps) {
      maxConcurrentSteps = OptionalInt.of(steps);
      return this;
    }

    /** How many steps one tick may start; default unlimited. */
    public Builder maxStepsPerTick(int steps) {
      maxStepsPerTick = OptionalInt.of(steps);
      return this;
    }

    /** Adds a step. */
    public Builder step(StepDefinition.Builder step) {
      steps.add(step.build());
      return this;
    }

    /** What a run yields when it has succeeded; see {@link Refs}. Default: nothing. */
    public Builder output(JsonNode output) {
      this.output = output;
      return this;
    }

    /**
     * The workflow.
     *
     * @throws InvalidRequestException if something is wrong; the message names the step and the
     *     field
     */
    public WorkflowDefinition build() {
      return new WorkflowDefinition(
          type,
          version,
          new Caps(maxConcurrentSteps, maxStepsPerTick),
          steps,
          Optional.ofNullable(output));
    }
  }
}
