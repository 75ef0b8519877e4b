package dev.sluice.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Alert;
import dev.sluice.Alert.Kind;
import dev.sluice.AlertThresholds;
import dev.sluice.Group;
import dev.sluice.GroupSummary;
import dev.sluice.LimitLevel;
import dev.sluice.Queues.DueJobs;
import dev.sluice.Queues.QueueInfo;
import dev.sluice.WorkerBulletin;
import dev.sluice.WorkerBulletin.Lately;
import dev.sluice.WorkerBulletin.Load;
import dev.sluice.WorkerBulletin.Tally;
import dev.sluice.WorkerBulletin.TaskTally;
import dev.sluice.WorkerBulletin.Times;
import dev.sluice.WorkerInfo;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class AlertFinderTest {
  private static final Instant NOW = Instant.parse("2026-03-01T12:00:00Z");
  private static final Duration MINUTE = Duration.ofMinutes(1);

  private final List<QueueInfo> queues = new ArrayList<>();
  private final List<GroupSummary> held = new ArrayList<>();
  private final List<WorkerInfo> workers = new ArrayList<>();
  private AlertThresholds thresholds = AlertThresholds.DEFAULT;

  private List<Alert> alerts() {
    return Alert.in(new Alert.Observed(NOW, queues, held, workers), thresholds);
  }

  private static DueJobs due(long jobs, Duration age) {
    return new DueJobs(jobs, NOW.minus(age));
  }

  private void queue(String name, boolean paused, Map<String, DueJobs> due) {
    queues.add(new QueueInfo(name, paused, due, 0, 0));
  }

  private void worker(boolean alive, boolean draining, Set<String> queues, Set<String> tasks) {
    worker(alive, draining, queues, tasks, Map.of());
  }

  private void worker(
      boolean alive,
      boolean draining,
      Set<String> queues,
      Set<String> tasks,
      Map<String, Lately> lately) {
    Map<String, TaskTally> tallies = new HashMap<>();
    lately.forEach(
        (task, l) -> tallies.put(task, new TaskTally(9, 9, 9, 9, 0, new Times(1, 1), l)));
    workers.add(
        new WorkerInfo(
            "id-" + workers.size(),
            "name",
            queues,
            tasks,
            new WorkerInfo.Lease(
                NOW.minusSeconds(99), NOW.plusSeconds(alive ? 9 : -9), NOW, Duration.ofSeconds(30)),
            Optional.of(
                new WorkerBulletin(
                    NOW,
                    NOW,
                    new Load(8, 0, 0, draining),
                    new Tally(tallies, Map.of()),
                    List.of(),
                    Map.of()))));
  }

  @Test
  void allIsServed_raisesNothing() {
    queue("default", false, Map.of("a", due(100_000, Duration.ofMinutes(20))));
    queue("idle", false, Map.of());
    worker(true, false, Set.of("default"), Set.of("a"));

    assertThat(alerts()).isEmpty();
  }

  @Test
  void noWorkerAlive_isRaisedOnceForAllQueues_andOnlyAfterTheThreshold() {
    worker(false, false, Set.of("default"), Set.of("a"));
    queue("default", false, Map.of("a", due(3, MINUTE), "b", due(2, Duration.ofSeconds(5))));
    assertThat(alerts()).isEmpty();

    queue("other", false, Map.of("a", due(4, MINUTE.plusMillis(1))));
    queue("paused", true, Map.of("a", due(50, Duration.ofMinutes(10))));
    assertThat(alerts())
        .singleElement()
        .satisfies(
            alert -> {
              assertThat(alert.kind()).isEqualTo(Kind.NO_WORKER);
              assertThat(alert.jobs()).isEqualTo(4);
              assertThat(alert.age()).contains(MINUTE.plusMillis(1));
              assertThat(alert.seen()).contains("no worker is alive", "4 jobs are due", "1 min");
            });
  }

  @Test
  void queueThatNoLiveWorkerServes_isRaisedAsAWhole() {
    queue(
        "mail",
        false,
        Map.of("a", due(3, MINUTE.multipliedBy(2)), "b", due(1, MINUTE.multipliedBy(3))));
    worker(true, false, Set.of("default"), Set.of("a", "b"));
    worker(true, true, Set.of("mail"), Set.of("a", "b"));

    assertThat(alerts())
        .singleElement()
        .satisfies(
            alert -> {
              assertThat(alert.kind()).isEqualTo(Kind.UNSERVED);
              assertThat(alert.place().queue()).contains("mail");
              assertThat(alert.place().task()).isEmpty();
              assertThat(alert.jobs()).isEqualTo(4);
              assertThat(alert.remedy()).contains("--queue mail");
            });
  }

  @Test
  void taskThatNoWorkerOfItsQueueHandles_isRaisedByTask_oldestFirst() {
    queue(
        "default",
        false,
        Map.of(
            "served", due(9_000, Duration.ofMinutes(29)),
            "young", due(1, MINUTE),
            "lost", due(1, Duration.ofMinutes(2)),
            "long lost", due(2, Duration.ofDays(3).plusHours(2).plusMinutes(5))));
    worker(true, false, Set.of("default"), Set.of("served"));
    worker(true, false, Set.of("elsewhere"), Set.of("lost", "long lost"));

    assertThat(alerts())
        .extracting(alert -> alert.kind() + " " + alert.place().task().orElseThrow())
        .containsExactly("unserved long lost", "unserved lost");
    assertThat(alerts().get(0).seen()).contains("2 jobs are due", "for 3 d 2 h, and no");
    assertThat(alerts().get(1).seen()).contains("1 job is due", "for 2 min, and no");
  }

  @Test
  void servedJobThatWaitsTooLong_isRaisedByQueue() {
    queue(
        "default",
        false,
        Map.of("a", due(5, Duration.ofMinutes(31)), "b", due(7, Duration.ofMinutes(45))));
    worker(true, false, Set.of("default"), Set.of("a", "b"));

    assertThat(alerts())
        .singleElement()
        .satisfies(
            alert -> {
              assertThat(alert.kind()).isEqualTo(Kind.LONG_WAIT);
              assertThat(alert.place().task()).contains("b");
              assertThat(alert.jobs()).isEqualTo(12);
              assertThat(alert.age()).contains(Duration.ofMinutes(45));
            });
    thresholds = thresholds.waiting(Duration.ofHours(1));
    assertThat(alerts()).isEmpty();
  }

  @Test
  void pausedQueue_needsNoWorker_butItsJobsMustNotWaitForEver() {
    queue("default", true, Map.of("a", due(5, Duration.ofMinutes(40))));

    assertThat(alerts())
        .singleElement()
        .satisfies(
            alert -> {
              assertThat(alert.kind()).isEqualTo(Kind.LONG_WAIT);
              assertThat(alert.seen()).contains("which is paused");
              assertThat(alert.remedy()).contains("sluice queues resume default");
            });
  }

  @Test
  void jobNotServed_isNotRaisedAgainForItsWait() {
    queue("default", false, Map.of("a", due(5, Duration.ofHours(2))));
    assertThat(alerts()).extracting(Alert::kind).containsExactly(Kind.NO_WORKER);

    worker(true, false, Set.of("default"), Set.of("b"));
    assertThat(alerts()).extracting(Alert::kind).containsExactly(Kind.UNSERVED);
  }

  @Test
  void taskWhoseFailuresExceedHalf_isRaised_overAllLiveWorkers() {
    Map<String, Lately> first =
        Map.of(
            "bad",
            new Lately(12, 12),
            "even",
            new Lately(20, 10),
            "few",
            new Lately(19, 19),
            WorkerBulletin.OTHER,
            new Lately(100, 100));
    worker(true, false, Set.of("default"), Set.of(), first);
    worker(true, false, Set.of("default"), Set.of(), Map.of("bad", new Lately(10, 0)));
    worker(false, false, Set.of("default"), Set.of(), Map.of("few", new Lately(50, 50)));

    assertThat(alerts())
        .singleElement()
        .satisfies(
            alert -> {
              assertThat(alert.kind()).isEqualTo(Kind.TASK_FAILING);
              assertThat(alert.place().task()).contains("bad");
              assertThat(alert.seen()).startsWith("12 of 22 attempts of the task 'bad' failed");
            });
    thresholds = thresholds.failures(0.6, 20);
    assertThat(alerts()).isEmpty();
  }

  @Test
  void groupsHeldAtZero_areRaised_unlessNotWanted() {
    held.add(summary(Group.of("mail"), 0));
    held.add(summary(Group.of("fetch"), 7));
    held.add(summary(Group.of("web").anyValueOf("tenant"), 0));

    assertThat(alerts())
        .extracting(Alert::seen)
        .containsExactly(
            "the group 'fetch' is held: its limit is 0, and 7 jobs are waiting in it",
            "every group of 'web/tenant=*' is held: its limit is 0",
            "the group 'mail' is held: its limit is 0");
    thresholds = thresholds.heldGroups(false);
    assertThat(alerts()).isEmpty();
  }

  private static GroupSummary summary(Group group, int waiting) {
    return new GroupSummary(group, OptionalInt.of(0), Optional.of(LimitLevel.OPERATOR), 0, waiting);
  }

  @Test
  void moreThanAnybodyReads_keepsTheWorst() {
    queue("default", false, Map.of("a", due(1, MINUTE.multipliedBy(2))));
    IntStream.range(0, 300).forEach(i -> held.add(summary(Group.of("g" + i), i)));

    assertThat(alerts()).hasSize(Alert.MOST);
    assertThat(alerts().get(0).kind()).isEqualTo(Kind.NO_WORKER);
    assertThat(alerts().get(1).jobs()).isEqualTo(299);
  }
}
