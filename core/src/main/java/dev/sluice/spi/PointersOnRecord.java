package dev.sluice.spi;

import dev.sluice.Group;
import dev.sluice.SluiceException;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The pointers on record that count: those whose family has a limit. A dimension that code does not
 * declare any more loses its limit with the last worker that declared it, and its pointer does
 * nothing from then on.
 */
public final class PointersOnRecord {
  private PointersOnRecord() {}

  /** Those of some tasks, by family. */
  public static Map<Group, String> of(LimitStore limits, Set<String> tasks) {
    return of(limits, limits.pointers(), tasks);
  }

  /** Those of some tasks among these, which were read before; by family. */
  public static Map<Group, String> of(
      LimitStore limits, Map<Group, String> recorded, Set<String> tasks) {
    Map<Group, String> inForce = new TreeMap<>(recorded);
    inForce.keySet().removeIf(family -> !tasks.contains(family.plainName()));
    inForce.keySet().removeIf(family -> !hasLimit(limits, family));
    return inForce;
  }

  /** If it cannot be told, as with a shard in trouble, the job is better in one group too many. */
  private static boolean hasLimit(LimitStore limits, Group family) {
    try {
      return limits.status(family).limit().isPresent();
    } catch (SluiceException e) {
      return true;
    }
  }
}
