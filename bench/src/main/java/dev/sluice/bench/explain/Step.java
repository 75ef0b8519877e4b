package dev.sluice.bench.explain;

import java.util.List;
import java.util.Optional;

/**
 * One exchange, and every statement it executed.
 *
 * @param name what it did: {@code claim}, {@code completion}
 * @param jobs how many jobs were claimed or completed
 * @param plans in the order in which they ended, the call last
 */
record Step(String name, int jobs, List<StatementPlan> plans) {
  /** A claim that gets all it wants calls it one time in twenty, by chance. */
  private static final String BY_CHANCE = "unwanted_in_front";

  /** How many rows all its statements read. */
  long rowsRead() {
    return plans.stream().mapToLong(StatementPlan::rowsRead).sum();
  }

  /** How many pages it touched, in all. */
  long pages() {
    return plans.stream()
        .filter(plan -> plan.place().equals(StatementPlan.CALL))
        .mapToLong(plan -> plan.root().pages())
        .sum();
  }

  /**
   * In which plans it differs from another step, by node types, tables and indexes; empty if both
   * executed the same plans in the same order, but for those that are executed by chance.
   */
  Optional<String> differenceTo(Step other) {
    List<String> own = shape();
    List<String> others = other.shape();
    if (own.equals(others)) {
      return Optional.empty();
    }
    return Optional.of(
        "%s here, %s there"
            .formatted(
                own.stream().filter(plan -> !others.contains(plan)).toList(),
                others.stream().filter(plan -> !own.contains(plan)).toList()));
  }

  private List<String> shape() {
    return plans.stream()
        .filter(plan -> !plan.place().startsWith(BY_CHANCE))
        .map(plan -> plan.place() + ": " + plan.root().shape())
        .toList();
  }
}
