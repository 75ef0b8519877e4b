package dev.sluice.workflow;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Iterator;
import java.util.Optional;
import java.util.UUID;

/**
 * What a handler can learn about the run whose step it carries out. Results are read from the store
 * when asked for. Not thread-safe.
 */
public interface StepContext {
  /** The run. */
  UUID runId();

  /** The type of the workflow. */
  String workflow();

  /** The name of the step. */
  String step();

  /** Which element this is, in a step over a list, from 0 on. */
  Optional<Integer> item();

  /** The run's input. */
  <T> T input(Class<T> type);

  /**
   * The result of a step that has ended; null if it has none. That of a step over a list is a list.
   *
   * @throws dev.sluice.InvalidRequestException if the workflow has no such step
   */
  <T> T result(String step, Class<T> type);

  /**
   * The results of a step over a list, in order, read some at a time; null for elements that
   * failed.
   */
  <T> Iterator<T> results(String step, Class<T> type);

  /** The same as JSON. */
  JsonNode result(String step);
}
