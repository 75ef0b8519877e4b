package dev.sluice.bench.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.sluice.bench.report.Figure;
import dev.sluice.bench.report.Ratio;
import dev.sluice.bench.report.Ratio.Goal;
import dev.sluice.bench.report.Subject;
import dev.sluice.bench.server.CpuTime;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
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
  void throughputOfTwoSettings_isJudgedByTheirNames() {
    List<Measured> measured = List.of(measured("a", 100), measured("b", 60), measured("c", 45));
    List<Ratio> ratios = Judgement.throughput("c", "b", Goal.atLeast(0.5, 1)).of(measured);
    assertThat(ratios).extracting(Ratio::name).containsExactly("c vs b");
    assertThat(ratios.get(0).value().values()).containsExactly(0.75);
    assertThatThrownBy(() -> Judgement.throughput("d", "b", Goal.atLeast(0.5, 1)).of(measured))
        .hasMessageContaining("no setting is called d");
  }

  @Test
  void slotTime_jobsFirst_isNotJudged() {
    Stage.Profile profile = new Stage.Profile(Map.of("slot taken", 5.2), 12);
    Setting first = setting("jobs first").beforeWorkers();
    assertThat(Judgement.slotTime().of(List.of(new Measured(first, List.of(round(10)), profile))))
        .isEmpty();
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
  void serverCpu_isToldPerJobAndAgainstTheFirstSetting() {
    Measured plain = spending("plain", OptionalLong.of(60_000), OptionalLong.of(40_000));
    Measured limited = spending("limited", OptionalLong.of(90_000), OptionalLong.of(80_000));
    assertThat(plain.subject().figures().get(Subject.SERVER_CPU))
        .isEqualTo(new Figure("µs", List.of(30.0, 20.0)));
    List<Ratio> ratios = Judgement.throughput(Goal.atLeast(0.5, 1)).of(List.of(plain, limited));
    assertThat(ratios)
        .extracting(Ratio::name)
        .containsExactly("limited vs plain", "server CPU per job, limited vs plain");
    assertThat(ratios.get(1).value().values()).containsExactly(1.5, 2.0);
    assertThat(ratios.get(1).goal()).isEmpty();
  }

  @Test
  void serverCpu_unknownInOneRound_isUnknown() {
    Measured plain = spending("plain", OptionalLong.of(60_000), OptionalLong.of(40_000));
    Measured remote = spending("remote", OptionalLong.of(90_000), OptionalLong.empty());
    assertThat(remote.subject().figures().get(Subject.SERVER_CPU).known()).isFalse();
    assertThat(Judgement.throughput(Goal.atLeast(0.5, 1)).of(List.of(plain, remote)))
        .extracting(Ratio::name)
        .containsExactly("remote vs plain");
  }

  private static Measured spending(String name, OptionalLong... nanosForTwoJobs) {
    List<Round> rounds =
        Arrays.stream(nanosForTwoJobs)
            .map(nanos -> round(new Batch(2, 1_000, 0), Optional.of(new CpuTime(nanos, 2))))
            .toList();
    return new Measured(setting(name), rounds, new Stage.Profile(Map.of(), 12));
  }

  @Test
  void busy_isTheShareOfTimeInsideHandlers() {
    Batch batch = new Batch(1, 1_000, 400).plus(new Batch(1, 1_000, 500));
    assertThat(round(batch, Optional.empty()).busy()).isEqualTo(0.45, within(1e-9));
  }

  private static Measured measured(String name, int... jobsPerSecond) {
    List<Round> rounds = Arrays.stream(jobsPerSecond).mapToObj(MeasuredTest::round).toList();
    return new Measured(setting(name), rounds, new Stage.Profile(Map.of(), 12));
  }

  private static Round round(int jobsPerSecond) {
    long second = TimeUnit.SECONDS.toNanos(1);
    return round(new Batch(jobsPerSecond, second, 0), Optional.empty());
  }

  private static Round round(Batch batch, Optional<CpuTime> serverCpu) {
    return new Round(
        batch, new Round.Submits(batch.jobs(), batch.nanos()), NOTHING, NOTHING, serverCpu);
  }

  private static Setting setting(String name) {
    return Setting.of(name, Lot.of(Scenarios.task("task").build(), 10));
  }
}
