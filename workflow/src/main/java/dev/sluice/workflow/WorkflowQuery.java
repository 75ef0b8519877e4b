package dev.sluice.workflow;

import dev.sluice.InvalidRequestException;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/**
 * Which runs to list, newest first. Immutable, built as a chain from {@link #ALL}.
 *
 * @param type of this type only
 * @param states in any of these states; empty = all
 * @param limit how many a page holds, 1 to 1000; default 50
 * @param cursor where the page starts: {@link dev.sluice.Page#next()} of the page before; empty =
 *     at the newest
 */
public record WorkflowQuery(Optional<String> type, Set<RunState> states, int limit, String cursor) {
  /** Every run, 50 a page. */
  public static final WorkflowQuery ALL = new WorkflowQuery(Optional.empty(), Set.of(), 50, "");

  /** Checks the page size. */
  public WorkflowQuery {
    if (limit < 1 || limit > 1000) {
      throw new InvalidRequestException(
          "A page of " + limit + " runs is not possible; use 1 to 1000.");
    }
    states = Set.copyOf(states);
  }

  /** Of this type. */
  public WorkflowQuery type(String type) {
    return new WorkflowQuery(Optional.of(type), states, limit, cursor);
  }

  /** In any of these states. */
  public WorkflowQuery states(RunState first, RunState... more) {
    return new WorkflowQuery(type, EnumSet.of(first, more), limit, cursor);
  }

  /** That have not ended. */
  public WorkflowQuery live() {
    return new WorkflowQuery(type, RunState.LIVE, limit, cursor);
  }

  /** This many a page. */
  public WorkflowQuery limit(int limit) {
    return new WorkflowQuery(type, states, limit, cursor);
  }

  /** Starting where the page before ended. */
  public WorkflowQuery cursor(String cursor) {
    return new WorkflowQuery(type, states, limit, cursor);
  }
}
