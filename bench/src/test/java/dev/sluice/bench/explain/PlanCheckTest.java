package dev.sluice.bench.explain;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class PlanCheckTest {
  private static final int BATCH = 10;

  @Test
  void indexScanOfTheBatch_isFine() {
    assertThat(complaints(scan("Index Scan", "job", "job_to_claim", 10, 0, 1))).isEmpty();
  }

  @Test
  void sequentialScanOfALargeTable_isRefusedHoweverFewRowsItFinds() {
    assertThat(complaints(scan("Seq Scan", "job", null, 1, 0, 1)))
        .containsExactly("claim_plain, line 6 reads all of job: a sequential scan");
  }

  @Test
  void sequentialScanOfASmallTable_isFine() {
    assertThat(complaints(scan("Seq Scan", "meta", null, 1, 0, 1))).isEmpty();
  }

  @Test
  void rowsOfAllLoopsAndThoseThrownAway_count() {
    assertThat(complaints(scan("Index Scan", "job", "job_claimed", 1, 20, 10)))
        .singleElement()
        .asString()
        .contains("reads 210 rows; at most 200 are allowed", "job by job_claimed: 210");
  }

  @Test
  void scanBelowOtherNodes_isFound() {
    String below = scan("Seq Scan", "finished_job", null, 1, 0, 1);
    String plan =
        "{\"Node Type\": \"Limit\", \"Plans\": [{\"Node Type\": \"Sort\", \"Plans\": [%s]}]}";
    assertThat(complaints(plan.formatted(below))).hasSize(1);
  }

  @Test
  void tableOfTheLimits_isRefusedOnlyWithoutLimits() {
    String plan = scan("Index Scan", "slot_group", "slot_group_pkey", 0, 0, 0);
    assertThat(complaints(plan))
        .containsExactly(
            "claim_plain, line 6 touches slot_group (Index Scan), though nothing is limited");
    assertThat(new PlanCheck(BATCH, true).complaints(List.of(parsed(plan)))).isEmpty();
  }

  private static List<String> complaints(String plan) {
    return new PlanCheck(BATCH, false).complaints(List.of(parsed(plan)));
  }

  private static StatementPlan parsed(String plan) {
    return StatementPlan.parse(
        "duration: 0.1 ms  plan:\n{\"Query Text\": \"SELECT\", \"Plan\": %s}".formatted(plan),
        StatementPlanTest.CONTEXT);
  }

  private static String scan(
      String type, String relation, String index, int rows, int removed, int loops) {
    return """
        {"Node Type": "%s", "Relation Name": "%s", "Index Name": %s, "Actual Rows": %d,
         "Rows Removed by Filter": %d, "Actual Loops": %d}
        """
        .formatted(
            type, relation, index == null ? "null" : '"' + index + '"', rows, removed, loops);
  }
}
