package dev.sluice.bench.explain;

import java.util.List;

/** Plans as {@code EXPLAIN (ANALYZE, BUFFERS)} prints them, without costs and times. */
final class PlanText {
  private static final List<String> CONDITIONS =
      List.of("Index Cond", "Recheck Cond", "TID Cond", "Join Filter", "Hash Cond", "Filter");

  private final StringBuilder text = new StringBuilder();

  private PlanText() {}

  /** The plan, several lines. */
  static String of(StatementPlan plan) {
    PlanText printed = new PlanText();
    printed.node(plan.root(), 0);
    return printed.text.toString();
  }

  private void node(PlanNode node, int depth) {
    node.text("Subplan Name").ifPresent(name -> line(depth, name));
    line(
        depth,
        (depth == 0 ? "" : "-> ")
            + title(node)
            + (node.loops() == 0
                ? " (never executed)"
                : " (actual rows=%s loops=%d)"
                    .formatted(
                        node.text("Actual Rows").orElse("0").replaceFirst("\\.0+$", ""),
                        node.loops())));
    int inner = depth + 2;
    for (String condition : CONDITIONS) {
      node.text(condition).ifPresent(value -> line(inner, condition + ": " + value));
    }
    if (node.removed() > 0) {
      line(inner, "Rows Removed, all loops: " + node.removed());
    }
    if (node.pages() > 0) {
      line(
          inner,
          "Buffers: shared hit=%d read=%d"
              .formatted(node.number("Shared Hit Blocks"), node.number("Shared Read Blocks")));
    }
    node.children().forEach(child -> node(child, depth + 2));
  }

  private static String title(PlanNode node) {
    StringBuilder title =
        new StringBuilder(
            node.text("Operation")
                .filter(o -> node.type().equals("ModifyTable"))
                .orElse(node.type()));
    node.index().ifPresent(index -> title.append(" using ").append(index));
    node.relation().ifPresent(relation -> title.append(" on ").append(relation));
    node.text("Function Name").ifPresent(function -> title.append(" on ").append(function));
    node.text("CTE Name").ifPresent(cte -> title.append(" on ").append(cte));
    return title.toString();
  }

  private void line(int depth, String line) {
    text.append("  ".repeat(depth)).append(line).append('\n');
  }
}
