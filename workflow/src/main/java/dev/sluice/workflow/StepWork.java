package dev.sluice.workflow;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.SubmitOptions;
import java.time.Duration;
import java.util.Optional;

/** What a step does. */
public sealed interface StepWork {
  /**
   * Runs a job.
   *
   * @param task the job's task
   * @param queue the job's queue
   */
  record Call(String task, String queue) implements StepWork {
    /** A job in the default queue. */
    public Call(String task) {
      this(task, SubmitOptions.DEFAULT_QUEUE);
    }
  }

  /**
   * Runs a job for each element of a list.
   *
   * @param call the job
   * @param over where the list is: a reference to the run's input or a step's result, or a list
   */
  record Each(Call call, JsonNode over) implements StepWork {}

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

  /** Whether its jobs count as steps in flight. Waiting holds nothing. */
  default boolean isCounted() {
    return this instanceof Call || this instanceof Each;
  }
}
