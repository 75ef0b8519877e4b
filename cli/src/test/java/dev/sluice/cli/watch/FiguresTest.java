package dev.sluice.cli.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.sluice.WorkerBulletin;
import dev.sluice.WorkerBulletin.TaskTally;
import dev.sluice.WorkerInfo;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Rates and waits from two looks at the workers. */
class FiguresTest {
  @Test
  void between_twoWorkers_addsTheirRatesByTheirOwnClocks() {
    Figures figures =
        Figures.between(
            List.of(
                Bulletins.worker("a", Bulletins.after(10, 100, Bulletins.waits(0, 1))),
                Bulletins.worker("b", Bulletins.after(10, 0, Bulletins.waits(0, 0)))),
            List.of(
                Bulletins.worker("a", Bulletins.after(12, 120, Bulletins.waits(0, 21))),
                Bulletins.worker("b", Bulletins.after(14, 4, Bulletins.waits(0, 4)))));
    assertThat(figures.total().succeeded()).isCloseTo(10 + 1, within(1e-9));
    assertThat(figures.tasks().get("mail").mean()).contains(Duration.ofSeconds(1));
    Figures.GroupFigures group = figures.group("mail").orElseThrow();
    assertThat(group.acquired()).isCloseTo(11, within(1e-9));
    assertThat(group.waits().total()).isEqualTo(24);
    assertThat(figures.group("other")).isEmpty();
  }

  @Test
  void between_workerThatIsNewOrSilent_addsNothing() {
    Figures figures =
        Figures.between(
            List.of(Bulletins.worker("a", Bulletins.after(10, 5, List.of()))),
            List.of(
                Bulletins.worker("a", Bulletins.after(10, 5, List.of())),
                Bulletins.worker("new", Bulletins.after(10, 50, List.of())),
                Bulletins.worker("mute", null)));
    assertThat(figures.total().succeeded()).isZero();
  }

  private static Optional<Double> acquired(
      String group, Map<String, Long> before, Map<String, Long> after) {
    return Figures.between(
            List.of(Bulletins.worker("a", Bulletins.acquired(10, before))),
            List.of(Bulletins.worker("a", Bulletins.acquired(12, after))))
        .group(group)
        .map(Figures.GroupFigures::acquired);
  }

  @Test
  void between_groupThatCameOutOfTheOthers_isCountedFromThenOn() {
    Map<String, Long> before = Map.of("a", 500L, "b", 100L, "other", 300L);
    Map<String, Long> swapped = Map.of("a", 520L, "c", 110L, "other", 305L);
    assertThat(acquired("a", before, swapped)).contains(10.0);
    assertThat(acquired("c", before, swapped)).isEmpty();
    assertThat(acquired("other", before, swapped)).isEmpty();
    Map<String, Long> later = Map.of("a", 520L, "c", 114L, "other", 311L);
    assertThat(acquired("c", swapped, later)).contains(2.0);
    assertThat(acquired("other", swapped, later)).contains(3.0);
  }

  @Test
  void between_newGroupWhereAllHaveALine_isCountedFromNothing() {
    assertThat(acquired("b", Map.of("a", 500L), Map.of("a", 500L, "b", 4L))).contains(2.0);
    assertThat(acquired("other", Map.of("a", 500L), Map.of("a", 500L, "other", 4L))).contains(2.0);
  }

  private static WorkerBulletin cancelling(int seconds, long succeeded, long cancelled) {
    WorkerBulletin plain = Bulletins.after(seconds, succeeded, List.of());
    TaskTally tally =
        new TaskTally(
            succeeded,
            succeeded,
            0,
            0,
            cancelled,
            new WorkerBulletin.Times(1000 * succeeded, 2),
            WorkerBulletin.Lately.NONE);
    return new WorkerBulletin(
        plain.since(),
        plain.at(),
        plain.load(),
        new WorkerBulletin.Tally(Map.of("mail", tally), Map.of()),
        List.of(),
        Map.of());
  }

  @Test
  void mean_jobsCancelled_isThatOfAttemptsThatEnded() {
    List<WorkerInfo> before = List.of(Bulletins.worker("a", cancelling(10, 5, 0)));
    assertThat(mean(before, cancelling(12, 8, 700))).contains(Duration.ofSeconds(2));
    assertThat(mean(before, cancelling(12, 5, 700))).as("nothing but cancelled").isEmpty();
  }

  private static Optional<Duration> mean(List<WorkerInfo> before, WorkerBulletin now) {
    return Figures.between(before, List.of(Bulletins.worker("a", now))).tasks().get("mail").mean();
  }

  @Test
  void quantile_ofClasses_liesWithinTheRightOne() {
    Waits waits = new Waits(Bulletins.waits(3, 50)).plus(new Waits(Bulletins.waits(8, 50)));
    assertThat(waits.quantile(0.25).orElseThrow())
        .isBetween(Duration.ofMillis(25), Duration.ofMillis(50));
    assertThat(waits.quantile(0.95).orElseThrow())
        .isBetween(Duration.ofSeconds(1), Duration.ofMillis(2500));
    assertThat(new Waits(List.of()).quantile(0.5)).isEmpty();
    int last = WorkerBulletin.WAIT_BOUNDS.size();
    assertThat(new Waits(Bulletins.waits(last, 1)).quantile(0.5)).contains(Duration.ofHours(1));
  }
}
