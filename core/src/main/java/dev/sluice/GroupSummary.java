package dev.sluice;

import java.util.Optional;
import java.util.OptionalInt;

/**
 * A group in a line, for lists; {@link ConcurrencyStatus} has the details.
 *
 * @param group the group, or a family
 * @param limit the limit in force; empty = unlimited. Of a family, the limit of each of its groups
 * @param level where the limit comes from; empty = there is none
 * @param active how many slots are held; 0 of a family
 * @param waiting how many due jobs of the group have not started (counted up to 10,000); 0 of a
 *     family
 */
public record GroupSummary(
    Group group, OptionalInt limit, Optional<LimitLevel> level, int active, int waiting) {
  /** How much of the group is in use: 1 = full; more than 1 while it drains. */
  public double pressure() {
    if (limit.isEmpty()) {
      return 0;
    }
    if (limit.getAsInt() == 0) {
      return active > 0 || waiting > 0 ? Double.POSITIVE_INFINITY : 0;
    }
    return (double) active / limit.getAsInt();
  }
}
