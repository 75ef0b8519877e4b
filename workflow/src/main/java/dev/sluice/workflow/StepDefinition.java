package dev.sluice.workflow;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.RetryPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A step of a workflow. Immutable; put together by {@link #named}.
 *
 * @param name its name, unique within the workflow
 * @param work what it does
 * @param dependsOn the steps that must have ended before
 * @param input what its job gets: JSON in which references are replaced; empty = the run's input,
 *     or for a step over a list the element
 * @param policy when it starts, and what happens when it fails
 */
public record StepDefinition(
    String name, StepWork work, List<String> dependsOn, Optional<JsonNode> input, Policy policy) {

  /**
   * When a step starts, and what happens when it fails.
   *
   * @param priority of the steps that could start, those with a higher number do so first
   * @param retry how often the step is started anew, each time as a new job, after its job failed
   *     for good. Within a job its task's own policy holds
   * @param onFailure what becomes of the run when the step has failed for good
   * @param compensateWith the task that undoes it
   */
  public record Policy(
      int priority, RetryPolicy retry, OnFailure onFailure, Optional<String> compensateWith) {
    /** Priority 0, one job, and its failure is the run's. */
    public static final Policy DEFAULT =
        new Policy(0, RetryPolicy.NONE, OnFailure.FAIL_WORKFLOW, Optional.empty());
  }

  /** Copies the list. */
  public StepDefinition {
    dependsOn = List.copyOf(dependsOn);
  }

  /** Starts a step of this name. */
  public static Builder named(String name) {
    return new Builder(name);
  }

  /** Builds a step; not thread-safe. What it does is said by exactly one of its methods. */
  public static final class Builder {
    private final String name;
    private final List<String> dependsOn = new ArrayList<>();
    private StepWork work;
    private JsonNode over;
    private JsonNode input;
    private int priority;
    private RetryPolicy retry = RetryPolicy.NONE;
    private OnFailure onFailure = OnFailure.FAIL_WORKFLOW;
    private String compensateWith;

    private Builder(String name) {
      this.name = name;
    }

    /** Runs a job of this task. */
    public Builder task(String task) {
      work = new StepWork.Call(task);
      return this;
    }

    /** Runs a job of this task in this queue. */
    public Builder task(String task, String queue) {
      work = new StepWork.Call(task, queue);
      return this;
    }

    /** Runs a job for each element of this list; see {@link Refs}. */
    public Builder over(JsonNode list) {
      over = list;
      return this;
    }

    /** Waits this long. */
    public Builder sleep(Duration duration) {
      work = new StepWork.Sleep(duration);
      return this;
    }

    /** Waits for this signal. */
    public Builder signal(String signal) {
      work = new StepWork.Signal(signal, Optional.empty());
      return this;
    }

    /** Waits for this signal, and fails if it does not come within this time. */
    public Builder signal(String signal, Duration timeout) {
      work = new StepWork.Signal(signal, Optional.of(timeout));
      return this;
    }

    /** Runs a workflow of this type. */
    public Builder workflow(String type) {
      work = new StepWork.Child(type);
      return this;
    }

    /** The steps that must have ended before. */
    public Builder dependsOn(String... steps) {
      dependsOn.addAll(List.of(steps));
      return this;
    }

    /** What its job gets; see {@link Refs} for what it may refer to. */
    public Builder input(JsonNode input) {
      this.input = input;
      return this;
    }

    /** Higher starts first; default 0. */
    public Builder priority(int priority) {
      this.priority = priority;
      return this;
    }

    /** How often it is started anew after its job failed for good; default: not. */
    public Builder retry(RetryPolicy retry) {
      this.retry = retry;
      return this;
    }

    /** What becomes of the run when it fails; default {@link OnFailure#FAIL_WORKFLOW}. */
    public Builder onFailure(OnFailure onFailure) {
      this.onFailure = onFailure;
      return this;
    }

    /** The task that undoes it. */
    public Builder compensateWith(String task) {
      this.compensateWith = task;
      return this;
    }

    /** The step; checked as part of its workflow. */
    public StepDefinition build() {
      StepWork whole =
          over != null && work instanceof StepWork.Call call ? new StepWork.Each(call, over) : work;
      return new StepDefinition(
          name,
          whole,
          dependsOn,
          Optional.ofNullable(input),
          new Policy(priority, retry, onFailure, Optional.ofNullable(compensateWith)));
    }
  }
}
