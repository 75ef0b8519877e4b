package dev.sluice.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class ComparisonTest {
  @Test
  void mediansFurtherApartThanBothSpreads_changed() {
    assertThat(change(figure(100, 101, 102), figure(110, 111, 112)))
        .isEqualTo(Comparison.Change.MORE);
    assertThat(change(figure(110, 111, 112), figure(100, 101, 102)))
        .isEqualTo(Comparison.Change.LESS);
  }

  @Test
  void mediansWithinOneSpread_didNotChange() {
    assertThat(change(figure(80, 101, 102), figure(110, 111, 112)))
        .isEqualTo(Comparison.Change.WITHIN_SPREAD);
  }

  @Test
  void measuredOnce_isUnknown() {
    assertThat(change(figure(100), figure(110, 111))).isEqualTo(Comparison.Change.UNKNOWN);
  }

  @Test
  void subjectsOfOneReport_areListed() {
    Comparison comparison =
        Comparison.of(
            SampleReport.with(
                List.of(SampleReport.subject("same", 1, 2), SampleReport.subject("gone", 1))),
            SampleReport.with(
                List.of(SampleReport.subject("new", 1), SampleReport.subject("same", 2, 4))));
    assertThat(comparison.onlyBefore()).containsExactly("concurrency: gone");
    assertThat(comparison.onlyAfter()).containsExactly("concurrency: new");
    Comparison.Row row = comparison.rows().get(0);
    assertThat(row.subject()).isEqualTo("concurrency: same");
    assertThat(row.figure()).isEqualTo("jobs/s");
    assertThat(row.quotient()).isEqualTo(2);
    assertThat(comparison.rows()).extracting(Comparison.Row::figure).contains("ratio");
  }

  private static Comparison.Change change(Figure before, Figure after) {
    return new Comparison.Row("s", "f", before, after).change();
  }

  private static Figure figure(double... values) {
    return SampleReport.figure("jobs/s", values);
  }
}
