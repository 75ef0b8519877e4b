package dev.sluice.bench.explain;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * What a claim and a completion may read. A statement reads at most ten rows for each job of the
 * batch, and a hundred, however many jobs are waiting; it never goes through a large table from one
 * end to the other; and where nothing is limited, it never touches the tables of the limits.
 */
final class PlanCheck {
  /** The tables that grow with the jobs. */
  static final Set<String> LARGE = Set.of("job", "finished_job");

  /** The tables of the limits: the numbers, the places, and who holds them. */
  static final Set<String> OF_LIMITS = Set.of("limit_rule", "slot_group", "slot");

  private static final int ROWS_PER_JOB = 10;
  private static final int ROWS_BESIDES = 100;

  private final int batch;
  private final boolean limited;

  PlanCheck(int batch, boolean limited) {
    this.batch = batch;
    this.limited = limited;
  }

  /** How many rows a statement may read. */
  int mostRows() {
    return ROWS_PER_JOB * batch + ROWS_BESIDES;
  }

  /** What is wrong with these plans, a sentence each; empty if nothing is. */
  List<String> complaints(List<StatementPlan> plans) {
    List<String> complaints = new ArrayList<>();
    for (StatementPlan plan : plans) {
      if (plan.rowsRead() > mostRows()) {
        complaints.add(
            "%s reads %,d rows; at most %,d are allowed for a batch of %,d (%s)"
                .formatted(plan.place(), plan.rowsRead(), mostRows(), batch, plan.reads()));
      }
      plan.root().all().forEach(node -> complain(plan, node, complaints));
    }
    return complaints;
  }

  private void complain(StatementPlan plan, PlanNode node, List<String> complaints) {
    String relation = node.relation().orElse("");
    if (node.isSequential() && LARGE.contains(relation)) {
      complaints.add("%s reads all of %s: a sequential scan".formatted(plan.place(), relation));
    }
    if (!limited && OF_LIMITS.contains(relation)) {
      complaints.add(
          "%s touches %s (%s), though nothing is limited"
              .formatted(plan.place(), relation, node.type()));
    }
  }
}
