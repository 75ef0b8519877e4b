package dev.sluice;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * A group at a moment.
 *
 * @param group the group
 * @param limit the limit in force; empty = unlimited
 * @param active how many slots are held
 * @param waiting how many due jobs of the group have not started (counted up to 10,000)
 * @param origin where the limit comes from
 * @param slots the held slots, by number
 */
public record ConcurrencyStatus(
    Group group, OptionalInt limit, int active, int waiting, Origin origin, List<SlotInfo> slots) {

  /**
   * Where a limit comes from.
   *
   * @param level the level in force; empty = there is no limit
   * @param inheritedFrom the family whose limit it is, if it has none of its own
   * @param declared what live workers declare in code: number → how many workers. More than one
   *     number means that a deploy is under way and the lowest holds
   * @param change the latest change on the log that brought it about; empty for the levels {@code
   *     code} and {@code submit}
   */
  public record Origin(
      Optional<LimitLevel> level,
      Optional<Group> inheritedFrom,
      Map<Integer, Integer> declared,
      Optional<LimitChange> change) {}
}
