package dev.sluice.bench.explain;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class StepTest {
  @Test
  void otherNumbers_areNoDifference() {
    assertThat(step("job_to_claim", 200).differenceTo(step("job_to_claim", 10))).isEmpty();
  }

  @Test
  void otherIndex_isADifference() {
    assertThat(step("job_to_claim", 200).differenceTo(step("job_pkey", 200)))
        .hasValueSatisfying(
            difference -> assertThat(difference).contains("job_to_claim", "job_pkey"));
  }

  @Test
  void moreStatements_areADifference() {
    assertThat(step("job_to_claim", 1).differenceTo(new Step("claim", 1, List.of()))).isPresent();
  }

  @Test
  void statementByChance_isNoDifference() {
    Step step = step("job_to_claim", 1);
    StatementPlan byChance =
        new StatementPlan("unwanted_in_front, line 6", "SELECT", step.plans().get(0).root(), 1);
    Step longer = new Step("claim", 1, List.of(step.plans().get(0), byChance));
    assertThat(step.differenceTo(longer)).isEmpty();
  }

  private static Step step(String index, int rows) {
    String message =
        """
        plan: {"Query Text": "SELECT", "Plan": {"Node Type": "Index Scan", "Relation Name": "job",
                                                "Index Name": "%s", "Actual Rows": %d, "Actual Loops": 1}}
        """;
    return new Step(
        "claim", rows, List.of(StatementPlan.parse(message.formatted(index, rows), null)));
  }
}
