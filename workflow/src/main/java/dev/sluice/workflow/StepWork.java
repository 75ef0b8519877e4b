package dev.sluice.workflow;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.SubmitOptions;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/** What a step does. */
public sealed interface StepWork {
  /**
   * Runs a job.
   *
   * @param task the job's task
   * @param queue the job's queue
   * @param timeout how long an attempt may run; empty = without bound
   * @param slots the groups the job is in besides its task's own
   */
  record Call(String task, String queue, Optional<Duration> timeout, Slots slots)
      implements StepWork {
    /** A job in the default queue, in no group but its task's own. */
    public Call(String task) {
      this(task, SubmitOptions.DEFAULT_QUEUE, Optional.empty(), Slots.NONE);
    }
  }

  /**
   * The groups a step's job is in besides its task's own, as {@link SubmitOptions} and {@link
   * dev.sluice.Task.Builder#maxConcurrentPer} would have it. A value that turns out to be null or
   * empty leaves the job out of its group.
   *
   * @param key the concurrency key: a text or number, or a reference to one
   * @param group a group of this name, in place of the task's own; the key, if any, is one of it
   * @param per values of the task's dimensions, by name: texts or numbers, or references to them
   */
  record Slots(Optional<JsonNode> key, Optional<String> group, Map<String, JsonNode> per) {
    /** None. */
    public static final Slots NONE = new Slots(Optional.empty(), Optional.empty(), Map.of());

    /** Copies the map, in order of its keys: the definition's hash depends on it. */
    public Slots {
      key = key.map(Refs::canonical);
      Map<String, JsonNode> sorted = new TreeMap<>(per);
      sorted.replaceAll((dimension, value) -> Refs.canonical(value));
      per = Collections.unmodifiableMap(sorted);
    }

    /** Every value and reference in it. */
    List<JsonNode> values() {
      return Stream.concat(key.stream(), per.values().stream()).toList();
    }
  }

  /**
   * Runs a job for each element of a list.
   *
   * @param job the job
   * @param over where the list is: a reference to the run's input or a step's result, or a list
   */
  record Each(Call job, JsonNode over) implements StepWork {
    /** Over this list. */
    public Each {
      over = Refs.canonical(over);
    }
  }

  /** Waits. */
  record Sleep(Duration duration) implements StepWork {}

  /**
   * Waits for a signal, whose payload is the step's result.
   *
   * @param signal its name
   * @param timeout how long; empty = as long as it takes. When it is over, the step has failed
   */
  record Signal(String signal, Optional<Duration> timeout) implements StepWork {}

  /** Runs another workflow of this type, whose output is the step's result. */
  record Child(String type) implements StepWork {}

  /** The job it runs, or one of them; empty if it only waits. */
  default Optional<Call> call() {
    return Optional.ofNullable(
        this instanceof Each each ? each.job() : this instanceof Call call ? call : null);
  }

  /** Whether its jobs count as steps in flight. Waiting holds nothing. */
  default boolean isCounted() {
    return call().isPresent();
  }
}
