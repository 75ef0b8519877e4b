package dev.sluice.server.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.sluice.WorkerBulletin;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

class WaitClassesTest {
  private static List<Long> waits(int index, long count) {
    List<Long> waits =
        new ArrayList<>(Collections.nCopies(WorkerBulletin.WAIT_BOUNDS.size() + 1, 0L));
    waits.set(index, count);
    return waits;
  }

  @Test
  void quantile_nobodyWaited_isUnknown() {
    assertThat(new WaitClasses().quantile(0.5)).isNull();
  }

  @Test
  void quantile_allInOneClass_liesInsideIt() {
    WaitClasses classes = new WaitClasses();
    // From 0.25 to 0.5 seconds.
    classes.addDifference(List.of(), waits(6, 100));

    assertThat(classes.quantile(0.5)).isCloseTo(0.375, within(1e-9));
    assertThat(classes.quantile(0.95)).isCloseTo(0.4875, within(1e-9));
  }

  @Test
  void quantile_twoClasses_isInTheOneThatHoldsIt() {
    WaitClasses classes = new WaitClasses();
    classes.addDifference(List.of(), waits(0, 90));
    classes.addDifference(List.of(), waits(10, 10));

    assertThat(classes.quantile(0.5)).isLessThan(0.005);
    assertThat(classes.quantile(0.95)).isBetween(5.0, 10.0);
  }

  @Test
  void quantile_beyondTheLastBound_isThatBound() {
    WaitClasses classes = new WaitClasses();
    classes.addDifference(List.of(), waits(WorkerBulletin.WAIT_BOUNDS.size(), 3));

    assertThat(classes.quantile(0.5)).isEqualTo(3600.0);
  }

  @Test
  void addDifference_laterBulletin_countsWhatCameOnTop() {
    WaitClasses classes = new WaitClasses();
    classes.addDifference(waits(2, 100), waits(2, 100));

    assertThat(classes.quantile(0.5)).isNull();
  }
}
