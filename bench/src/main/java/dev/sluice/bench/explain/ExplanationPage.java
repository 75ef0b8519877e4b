package dev.sluice.bench.explain;

import dev.sluice.cli.text.Style;
import dev.sluice.cli.text.Table;
import java.util.List;

/** What was found for one set-up, to read: in short, then plan by plan. */
public final class ExplanationPage {
  private final Explanation explanation;

  public ExplanationPage(Explanation explanation) {
    this.explanation = explanation;
  }

  /** The heading: {@code concurrency-baseline: no limits, 1,000,000 jobs waiting}. */
  public String heading() {
    return "%s: %s, %,d jobs waiting"
        .formatted(
            explanation.setUp().title(), explanation.setUp().summary(), explanation.waiting());
  }

  /** What each statement read, by index, a table for each step; then complaints and remarks. */
  public String summary(Style style) {
    StringBuilder text = new StringBuilder();
    for (Step step : explanation.steps()) {
      text.append(
          "%s of %,d jobs: %d statements, %,d rows read, %,d pages touched%n%n"
              .formatted(
                  step.name(), step.jobs(), step.plans().size(), step.rowsRead(), step.pages()));
      Table table = new Table(style).left("statement").right("rows").right("pages").left("read");
      tabled(step)
          .forEach(
              plan ->
                  table.row(
                      plan.place(),
                      "%,d".formatted(plan.rowsRead()),
                      "%,d".formatted(plan.root().pages()),
                      plan.reads()));
      table.lines(Integer.MAX_VALUE).forEach(line -> text.append(line).append('\n'));
      text.append('\n');
    }
    explanation.remarks().forEach(remark -> text.append("* ").append(remark).append('\n'));
    explanation
        .complaints()
        .forEach(complaint -> text.append("! ").append(style.red(complaint)).append('\n'));
    return text.toString();
  }

  /** The plans of all statements that read or change a table. */
  public String plans() {
    StringBuilder text = new StringBuilder();
    for (Step step : explanation.steps()) {
      for (StatementPlan plan : tabled(step)) {
        text.append("%s / %s%n%n".formatted(step.name(), plan.place()));
        text.append(plan.query().strip().indent(2)).append('\n');
        text.append(PlanText.of(plan).indent(4)).append('\n');
      }
    }
    return text.toString();
  }

  /** The page for the documentation. */
  public String markdown() {
    StringBuilder page = new StringBuilder();
    page.append(
        "<!-- Written by ./sluice bench explain with --docs; a change by hand is lost. -->\n");
    page.append("# Plans: ").append(heading()).append("\n\n");
    page.append("Every statement inside the functions that a worker calls, as executed.");
    page.append(" Statements that read no table are left out.\n");
    page.append("Pages of a statement include those of the functions it calls.\n\n");
    page.append("```text\n").append(summary(new Style(false, true))).append("```\n\n");
    page.append("## Plan by plan\n\n```text\n").append(plans().stripTrailing());
    return page.append("\n```\n").toString();
  }

  private static List<StatementPlan> tabled(Step step) {
    return step.plans().stream().filter(StatementPlan::touchesTables).toList();
  }
}
