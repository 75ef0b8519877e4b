package dev.sluice.bench.explain;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class StatementPlanTest {
  static final String CONTEXT =
      """
      PL/pgSQL function sluice.claim_plain(uuid,bigint,text[]) line 6 at RETURN QUERY
      PL/pgSQL function sluice.claim(uuid,text[]) line 14 at RETURN QUERY""";

  private static final String MESSAGE =
      """
      duration: 0.214 ms  plan:
      {
        "Query Text": "SELECT id FROM job",
        "Plan": {
          "Node Type": "ModifyTable", "Operation": "Update", "Relation Name": "job",
          "Actual Rows": 0.00, "Actual Loops": 1, "Shared Hit Blocks": 7, "Shared Read Blocks": 2,
          "Plans": [
            {"Node Type": "Index Scan", "Relation Name": "job", "Index Name": "job_pkey",
             "Index Cond": "(id = $1)", "Actual Rows": 1.00, "Actual Loops": 20,
             "Rows Removed by Filter": 1},
            {"Node Type": "Index Scan", "Relation Name": "job", "Index Name": "job_to_claim",
             "Actual Rows": 0, "Actual Loops": 0}
          ]
        }
      }
      """;

  private final StatementPlan plan = StatementPlan.parse(MESSAGE, CONTEXT);

  @Test
  void place_isTheInnermostFunctionAndLine() {
    assertThat(plan.place()).isEqualTo("claim_plain, line 6");
    assertThat(StatementPlan.parse(MESSAGE, "SQL function \"limit_of\" statement 1").place())
        .isEqualTo("limit_of");
    assertThat(StatementPlan.parse(MESSAGE, null).place()).isEqualTo(StatementPlan.CALL);
  }

  @Test
  void rowsRead_areThoseOfScansOnly() {
    assertThat(plan.rowsRead()).isEqualTo(40);
    assertThat(plan.reads()).isEqualTo("job by job_pkey: 40, job by job_to_claim: 0");
    assertThat(plan.root().pages()).isEqualTo(9);
  }

  @Test
  void shape_hasNoNumbers() {
    assertThat(plan.root().shape())
        .isEqualTo(
            "ModifyTable Update on job (Index Scan on job by job_pkey) (Index Scan on job by job_to_claim)");
  }

  @Test
  void text_readsLikeExplain() {
    assertThat(PlanText.of(plan))
        .isEqualTo(
            """
            Update on job (actual rows=0 loops=1)
                Buffers: shared hit=7 read=2
                -> Index Scan using job_pkey on job (actual rows=1 loops=20)
                    Index Cond: (id = $1)
                    Rows Removed, all loops: 20
                -> Index Scan using job_to_claim on job (never executed)
            """);
  }
}
