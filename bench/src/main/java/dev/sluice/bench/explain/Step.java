package dev.sluice.bench.explain;

import java.util.List;

/**
 * One exchange, and every statement it executed.
 *
 * @param name what it did: {@code claim}, {@code completion}
 * @param jobs how many jobs were claimed or completed
 * @param plans in the order in which they ended, the call last
 */
record Step(String name, int jobs, List<StatementPlan> plans) {
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

  /** Its statements without numbers: equal if the same plans were executed in the same order. */
  List<String> shape() {
    return plans.stream().map(plan -> plan.place() + ": " + plan.root().shape()).toList();
  }
}
