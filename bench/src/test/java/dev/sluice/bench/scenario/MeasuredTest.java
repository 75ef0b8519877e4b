package dev.sluice.bench.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.sluice.bench.report.Figure;
import dev.sluice.bench.report.Ratio;
import dev.sluice.bench.report.Ratio.Goal;
import dev.sluice.bench.report.Subject;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class MeasuredTest {
  private static final Distribution NOTHING = Distribution.ofNanos();

  @Test
  void against_dividesRoundByRound() {
    Figure quotient =
        measured("b", 50, 300, 80).against(measured("a", 100, 200, 100), Round::jobsPerSecond);
    assertThat(quotient.values()).containsExactly(0.5, 1.5, 0.8);
    assertThat(quotient.median()).isEqualTo(0.8);
  }

  @Test
  void throughput_isJudgedAgainstTheFirstSetting() {
    List<Ratio> ratios =
        Judgement.throughput(Goal.atLeast(0.5, 1))
            .of(List.of(measured("a", 100), measured("b", 60), measured("c", 40)));
    assertThat(ratios).extracting(Ratio::name).containsExactly("b vs a", "c vs a");
    assertThat(ratios).extracting(ratio -> ratio.value().median()).containsExactly(0.6, 0.4);
  }

  @Test
  void slotTime_isToldOnlyWhereSlotsWereTaken() {
    Measured limited =
        new Measured(
            setting("limited"),
            List.of(round(10)),
            new Stage.Profile(Map.of("slot taken", 0.3), 12));
    assertThat(Judgement.slotTime().of(List.of(measured("plain", 10), limited)))
        .extracting(Ratio::name)
        .containsExactly("slot taken at limited, ms");
  }

  @Test
  void subject_leavesOutWhatWasNotMeasured() {
    Subject subject = measured("a", 100).subject();
    assertThat(subject.figures())
        .containsOnlyKeys(Subject.JOBS_PER_SECOND, "per worker", "submits/s", "heap after");
    assertThat(subject.figures().get("per worker").median()).isEqualTo(25);
  }

  @Test
  void busy_isTheShareOfTimeInsideHandlers() {
    Batch batch = new Batch(1, 1_000, 400).plus(new Batch(1, 1_000, 500));
    assertThat(new Round(batch, 2, 1, NOTHING, NOTHING).busy()).isEqualTo(0.45, within(1e-9));
  }

  private static Measured measured(String name, int... jobsPerSecond) {
    List<Round> rounds = Arrays.stream(jobsPerSecond).mapToObj(MeasuredTest::round).toList();
    return new Measured(setting(name), rounds, new Stage.Profile(Map.of(), 12));
  }

  private static Round round(int jobsPerSecond) {
    long second = TimeUnit.SECONDS.toNanos(1);
    return new Round(new Batch(jobsPerSecond, second, 0), jobsPerSecond, second, NOTHING, NOTHING);
  }

  private static Setting setting(String name) {
    return Setting.of(name, Lot.of(Scenarios.task("task").build(), 10));
  }
}
