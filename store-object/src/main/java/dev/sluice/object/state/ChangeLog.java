package dev.sluice.object.state;

import dev.sluice.LimitChange;
import java.util.List;

/**
 * Changes of limits on their way to the log, which is an object of its own. A change is here from
 * the commit that makes it until the log has it, so the log misses none.
 *
 * @param next the number of the next change
 * @param pending changes that the log may not have yet, oldest first
 */
public record ChangeLog(long next, List<Logged> pending) {
  /** Nothing was ever changed. */
  public static final ChangeLog EMPTY = new ChangeLog(1, List.of());

  /** A change and its number, which counts the changes of a shard. */
  public record Logged(long number, LimitChange change) {}
}
