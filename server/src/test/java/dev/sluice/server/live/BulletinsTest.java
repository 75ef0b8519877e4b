package dev.sluice.server.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.sluice.WorkerBulletin;
import dev.sluice.WorkerBulletin.Event;
import dev.sluice.WorkerBulletin.GroupTally;
import dev.sluice.WorkerBulletin.TaskTally;
import dev.sluice.WorkerInfo;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class BulletinsTest {
  private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
  private static final long SECOND = 1_000_000_000L;

  private final Bulletins bulletins = new Bulletins();

  /** A worker that has succeeded so often, each time after a wait of about 0.3 s and in 2 s. */
  private static WorkerInfo worker(String id, int second, long succeeded) {
    List<Long> waits =
        new ArrayList<>(Collections.nCopies(WorkerBulletin.WAIT_BOUNDS.size() + 1, 0L));
    waits.set(6, succeeded);
    WorkerBulletin bulletin =
        new WorkerBulletin(
            START,
            START.plusSeconds(second),
            new WorkerBulletin.Load(10, 1, 0, false),
            new WorkerBulletin.Tally(
                Map.of(
                    "t",
                    new TaskTally(
                        succeeded,
                        succeeded,
                        0,
                        0,
                        0,
                        new WorkerBulletin.Times(2.0 * succeeded, 2),
                        WorkerBulletin.Lately.NONE)),
                Map.of("g", new GroupTally(succeeded, 0, waits))),
            LongStream.rangeClosed(Math.max(1, succeeded - 4), succeeded)
                .mapToObj(
                    n ->
                        new Event(
                            n, START.plusSeconds(second), "succeeded", Optional.empty(), "t", ""))
                .toList(),
            Map.of());
    return new WorkerInfo(
        id,
        "w",
        Set.of(),
        Set.of(),
        new WorkerInfo.Lease(START, START.plusSeconds(60), START, Duration.ofSeconds(60)),
        Optional.of(bulletin));
  }

  @Test
  void take_firstSample_knowsNoRateYet() {
    assertThat(bulletins.take(List.of(worker("a", 100, 1_000)), 0)).isEmpty();

    assertThat(bulletins.rates(0).succeeded()).isZero();
    assertThat(bulletins.byGroup()).isEmpty();
  }

  @Test
  void take_secondBulletin_givesRateDurationAndWaits() {
    bulletins.take(List.of(worker("a", 100, 1_000), worker("b", 100, 0)), 0);
    bulletins.take(List.of(worker("a", 105, 1_050), worker("b", 105, 5)), 5 * SECOND);

    assertThat(bulletins.rates(5 * SECOND).succeeded()).isCloseTo(11, within(1e-9));
    assertThat(bulletins.meanDuration(5 * SECOND)).isCloseTo(2, within(1e-9));
    assertThat(bulletins.byGroup().get("g").acquired()).isEqualTo(55);
    assertThat(bulletins.recentWaits(5 * SECOND).waitP50Seconds()).isBetween(0.25, 0.5);
  }

  @Test
  void take_sameBulletinAgain_changesNothing() {
    bulletins.take(List.of(worker("a", 100, 0)), 0);
    bulletins.take(List.of(worker("a", 105, 50)), 5 * SECOND);

    assertThat(bulletins.take(List.of(worker("a", 105, 50)), 7 * SECOND)).isEmpty();
    assertThat(bulletins.rates(7 * SECOND).succeeded()).isCloseTo(10, within(1e-9));
    assertThat(bulletins.byGroup().get("g").acquired()).isEqualTo(50);
  }

  @Test
  void take_workerThatCameLater_countsFromItsStart() {
    bulletins.take(List.of(), 0);
    List<Bulletins.WorkerEvent> events = bulletins.take(List.of(worker("a", 2, 4)), 2 * SECOND);

    assertThat(bulletins.rates(2 * SECOND).succeeded()).isCloseTo(2, within(1e-9));
    assertThat(events).hasSize(4);
  }

  @Test
  void take_overlappingEvents_tellsEachOnce() {
    bulletins.take(List.of(worker("a", 100, 3)), 0);
    List<Bulletins.WorkerEvent> events = bulletins.take(List.of(worker("a", 105, 5)), SECOND);

    assertThat(events).extracting(e -> e.event().number()).containsExactly(4L, 5L);
  }

  @Test
  void rates_workerSilentOrGone_areZero() {
    bulletins.take(List.of(worker("a", 100, 0)), 0);
    bulletins.take(List.of(worker("a", 105, 50)), 5 * SECOND);

    assertThat(bulletins.rates(60 * SECOND).succeeded()).isZero();
    bulletins.take(List.of(), 6 * SECOND);
    assertThat(bulletins.rates(6 * SECOND).succeeded()).isZero();
  }

  /** The same worker with these groups, each acquired so often. */
  private static WorkerInfo at(WorkerInfo worker, Instant since, Map<String, Long> groups) {
    WorkerBulletin old = worker.bulletin().orElseThrow();
    Map<String, GroupTally> tallies = new HashMap<>();
    groups.forEach((group, n) -> tallies.put(group, new GroupTally(n, 0, List.of(n))));
    return new WorkerInfo(
        worker.id(),
        worker.name(),
        worker.queues(),
        worker.tasks(),
        worker.lease(),
        Optional.of(
            new WorkerBulletin(
                since,
                old.at(),
                old.load(),
                new WorkerBulletin.Tally(old.tally().tasks(), tallies),
                old.events(),
                old.notices())));
  }

  private Map<String, Long> acquired() {
    return bulletins.byGroup().entrySet().stream()
        .collect(Collectors.toMap(Map.Entry::getKey, line -> line.getValue().acquired()));
  }

  @Test
  void take_groupsSwapRanks_countsOnlyWhatIsNew() {
    WorkerInfo before = worker("a", 100, 10);
    WorkerInfo after = worker("a", 105, 20);
    bulletins.take(List.of(at(before, START, Map.of("g", 900L, "h", 500L, "other", 499L))), 0);
    // i was among the others; now h is, and the others are others than before.
    bulletins.take(
        List.of(at(after, START, Map.of("g", 910L, "i", 501L, "other", 500L))), 5 * SECOND);

    assertThat(acquired()).isEqualTo(Map.of("g", 10L));

    WorkerInfo last = worker("a", 110, 30);
    bulletins.take(
        List.of(at(last, START, Map.of("g", 911L, "i", 504L, "other", 505L))), 10 * SECOND);

    assertThat(acquired()).isEqualTo(Map.of("g", 11L, "i", 3L, "other", 5L));
  }

  @Test
  void take_newGroupWhereAllHaveNames_countsFromItsFirst() {
    bulletins.take(List.of(at(worker("a", 100, 10), START, Map.of("g", 1L))), 0);
    bulletins.take(List.of(at(worker("a", 105, 20), START, Map.of("g", 1L, "h", 4L))), 5 * SECOND);

    assertThat(acquired()).containsEntry("h", 4L);
  }

  @Test
  void take_workerStartedAnew_countsFromItsNewStart() {
    bulletins.take(List.of(at(worker("a", 100, 1_000), START, Map.of("g", 1_000L))), 0);
    WorkerInfo anew = at(worker("a", 105, 4), START.plusSeconds(103), Map.of("g", 4L));
    List<Bulletins.WorkerEvent> events = bulletins.take(List.of(anew), 5 * SECOND);

    assertThat(acquired()).isEqualTo(Map.of("g", 4L));
    assertThat(bulletins.rates(5 * SECOND).succeeded()).isCloseTo(2, within(1e-9));
    assertThat(events).extracting(e -> e.event().number()).containsExactly(1L, 2L, 3L, 4L);
  }

  @Test
  void meanDuration_jobsCancelledMeanwhile_isThatOfARecentAttempt() {
    bulletins.take(List.of(worker("a", 100, 0)), 0);
    WorkerInfo next = worker("a", 105, 5);
    WorkerBulletin old = next.bulletin().orElseThrow();
    TaskTally cancelled =
        new TaskTally(
            105, 5, 0, 0, 100, new WorkerBulletin.Times(2.0 * 105, 2), WorkerBulletin.Lately.NONE);
    bulletins.take(
        List.of(
            new WorkerInfo(
                next.id(),
                next.name(),
                next.queues(),
                next.tasks(),
                next.lease(),
                Optional.of(
                    new WorkerBulletin(
                        old.since(),
                        old.at(),
                        old.load(),
                        new WorkerBulletin.Tally(Map.of("t", cancelled), old.tally().groups()),
                        old.events(),
                        old.notices())))),
        5 * SECOND);

    assertThat(bulletins.meanDuration(5 * SECOND)).isCloseTo(2, within(1e-9));
  }

  @Test
  void byGroup_afterTheWindow_forgets() {
    bulletins.take(List.of(worker("a", 100, 0)), 0);
    bulletins.take(List.of(worker("a", 105, 50)), 5 * SECOND);
    bulletins.take(List.of(worker("a", 105, 50)), 400 * SECOND);

    assertThat(bulletins.byGroup()).isEmpty();
  }
}
