package dev.sluice.spi;

import dev.sluice.InvalidRequestException;
import java.util.Optional;
import java.util.Set;

/**
 * Which runs to list, newest first.
 *
 * @param type of this type only
 * @param states in any of these states; empty = all
 * @param limit how many a page holds, 1 to 1000
 * @param cursor where the page starts: {@link dev.sluice.Page#next()} of the page before; empty =
 *     at the newest
 */
public record RunQuery(Optional<String> type, Set<String> states, int limit, String cursor) {
  /** Every run, 50 a page. */
  public static final RunQuery ALL = new RunQuery(Optional.empty(), Set.of(), 50, "");

  /** Checks the page size. */
  public RunQuery {
    if (limit < 1 || limit > 1000) {
      throw new InvalidRequestException(
          "A page of " + limit + " runs is not possible; use 1 to 1000.");
    }
    states = Set.copyOf(states);
  }

  /** Of this type. */
  public RunQuery type(String type) {
    return new RunQuery(Optional.of(type), states, limit, cursor);
  }

  /** In any of these states. */
  public RunQuery states(Set<String> states) {
    return new RunQuery(type, states, limit, cursor);
  }

  /** This many a page. */
  public RunQuery limit(int limit) {
    return new RunQuery(type, states, limit, cursor);
  }

  /** Starting where the page before ended. */
  public RunQuery cursor(String cursor) {
    return new RunQuery(type, states, limit, cursor);
  }
}
