package dev.sluice.workflow;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.Group;
import dev.sluice.InvalidRequestException;
import dev.sluice.RetryPolicy;
import dev.sluice.SubmitOptions;
import dev.sluice.Task;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

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
    input = input.map(Refs::canonical);
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
    private String task;
    private String queue = SubmitOptions.DEFAULT_QUEUE;
    private Duration timeout;
    private Set<Group> keyedLimits = Set.of();
    private JsonNode key;
    private String group;
    private final Map<String, JsonNode> per = new TreeMap<>();
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
      this.task = task;
      return this;
    }

    /**
     * Runs a job of this task, with its timeout. If the task is limited per key or per dimension,
     * the step has to say what its key or value is, so that the limit holds here too.
     */
    public Builder task(Task<?> task) {
      this.task = task.name();
      timeout = task.timeout().orElse(timeout);
      keyedLimits =
          task.limits().keySet().stream().filter(Group::isFamily).collect(Collectors.toSet());
      return this;
    }

    /** The queue of its jobs; default {@code default}. */
    public Builder queue(String queue) {
      this.queue = queue;
      return this;
    }

    /** How long an attempt at its job may run; default: as the task says, or without bound. */
    public Builder timeout(Duration timeout) {
      this.timeout = timeout;
      return this;
    }

    /** The concurrency key of its job: a text or number, or a reference to one. */
    public Builder concurrencyKey(JsonNode key) {
      this.key = key;
      return this;
    }

    /** Puts its job in the group of this name; the concurrency key, if any, is one of it. */
    public Builder concurrencyGroup(String group) {
      this.group = group;
      return this;
    }

    /** The value of a dimension that its task is limited per: a text or number, or a reference. */
    public Builder concurrencyPer(String dimension, JsonNode value) {
      per.put(dimension, value);
      return this;
    }

    /** Runs a job for each element of this list; see {@link Refs}. */
    public Builder over(JsonNode list) {
      over = list;
      return this;
    }

    /** Waits this long. */
    public Builder sleep(Duration duration) {
      return does(new StepWork.Sleep(duration));
    }

    private Builder does(StepWork next) {
      if (work != null) {
        throw new InvalidRequestException(
            "step '%s' has two things to do; give it one of them.".formatted(name));
      }
      work = next;
      return this;
    }

    /** Waits for this signal. */
    public Builder signal(String signal) {
      return does(new StepWork.Signal(signal, Optional.empty()));
    }

    /** Waits for this signal, and fails if it does not come within this time. */
    public Builder signal(String signal, Duration timeout) {
      return does(new StepWork.Signal(signal, Optional.of(timeout)));
    }

    /** Runs a workflow of this type. */
    public Builder workflow(String type) {
      return does(new StepWork.Child(type));
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
      return new StepDefinition(
          name,
          task == null ? wait(work) : call(),
          dependsOn,
          Optional.ofNullable(input),
          new Policy(priority, retry, onFailure, Optional.ofNullable(compensateWith)));
    }

    private StepWork wait(StepWork waiting) {
      boolean ofTask =
          over != null
              || timeout != null
              || key != null
              || group != null
              || !per.isEmpty()
              || !queue.equals(SubmitOptions.DEFAULT_QUEUE);
      if (waiting != null && ofTask) {
        throw new InvalidRequestException(
            "step '%s' has no task; over, queue, timeout and concurrency go only with one."
                .formatted(name));
      }
      return waiting;
    }

    private StepWork call() {
      if (work != null) {
        throw new InvalidRequestException(
            "step '%s' has a task and something else to do; give it one of them.".formatted(name));
      }
      requireKeys();
      StepWork.Call call =
          new StepWork.Call(
              task,
              queue,
              Optional.ofNullable(timeout),
              new StepWork.Slots(Optional.ofNullable(key), Optional.ofNullable(group), per));
      return over == null ? call : new StepWork.Each(call, over);
    }

    private void requireKeys() {
      Set<Group> open = new TreeSet<>(keyedLimits);
      if (key != null) {
        open.remove(Group.of(task).anyKey());
      }
      per.keySet().forEach(dimension -> open.remove(Group.of(task).anyValueOf(dimension)));
      if (!open.isEmpty()) {
        throw new InvalidRequestException(
            "step '%s': its task is limited in each group of %s, and the step does not say which group its job is in. Add concurrencyKey(…) or concurrencyPer(dimension, …)."
                .formatted(
                    name, open.stream().map(Group::toString).collect(Collectors.joining(", "))));
      }
    }
  }
}
