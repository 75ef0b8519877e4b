package dev.sluice.tck.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Group;
import dev.sluice.JobState;
import dev.sluice.Sluice;
import dev.sluice.Submission;
import dev.sluice.Task;
import dev.sluice.tck.LimitTimeline;
import dev.sluice.tck.OverlapMeter;
import dev.sluice.tck.StoreFixture;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * Several worker processes on one store, killed and frozen at random while limits change. However
 * that goes, no limit is ever exceeded, every job completes, no slot stays in use, and no worker
 * that lost its lease does harm.
 */
@Isolated("its processes need the whole machine")
public abstract class ChaosContract {
  private static final int WORKERS = 4;
  private static final Duration LEASE = Duration.ofMillis(2_500);
  private static final Duration MORE_CHAOS = Duration.ofSeconds(40);

  /** Within what time all is done after it; in long chaos the tasks of hundreds fall behind. */
  private static final Duration CALM =
      Duration.ofSeconds(Math.max(120, ChaosStorm.LENGTH.toSeconds() / 2));

  private static final int BUSY_KEYS = 20;
  private static final int KEYS = ChaosStorm.IS_LONG ? 1_000 : BUSY_KEYS;
  private static final int LONG_SLICE_MS = 50;

  /** Within what time of waking the handlers of a worker without a lease are interrupted. */
  private static final Duration INTERRUPTED = Duration.ofMillis(100);

  private Duration frozenFor;

  /** A new, empty namespace of the store. */
  protected abstract StoreFixture openFixture();

  @Test
  @Timeout(1_800)
  void workersKilledAndFrozenWhileLimitsChange_everyPromiseHolds(
      @TempDir(cleanup = CleanupMode.ON_SUCCESS) Path directory) throws Exception {
    long seed = Long.getLong("sluice.chaos.seed", System.nanoTime());
    System.out.printf("sluice.chaos.seed=%d, logs in %s%n", seed, directory);
    Map<String, LimitTimeline> limits = new HashMap<>();
    LimitTimeline keyed = new LimitTimeline();
    keyed.change(ChaosWork.KEYED_LIMIT, () -> {});
    for (Task<ChaosWork> task : ChaosWork.TASKS) {
      LimitTimeline timeline = new LimitTimeline();
      task.maxConcurrent().ifPresent(limit -> timeline.change(limit, () -> {}));
      if (task.maxConcurrent().isPresent()) {
        limits.put(task.name(), timeline);
      }
    }

    try (StoreFixture fixture = openFixture();
        Sluice sluice = fixture.open();
        ChaosFleet fleet =
            new ChaosFleet(
                ChaosWorker.class,
                new ChaosFleet.Venue(fixture.url(), fixture.namespace(), fixture.environment()),
                directory,
                LEASE)) {
      frozenFor = fixture.takenOverAfter(LEASE);
      Set<UUID> submitted = wreakHavoc(new Random(seed), sluice, fleet, limits);
      Awaitility.await()
          .atMost(CALM)
          .pollInterval(Duration.ofMillis(200))
          .untilAsserted(
              () ->
                  assertThat(sluice.jobs().counts())
                      .containsEntry(JobState.SUCCEEDED, (long) submitted.size()));
      assertThat(fleet.stopAll()).as("every worker drains and ends by itself").isTrue();

      ChaosJudge judge = fleet.judge();
      print(judge, submitted.size());
      assertThat(judge.violations(limits, keyed)).as("starts beyond a limit").isEmpty();
      assertThat(judge.hastyRestarts()).as("attempts beside one whose lease held").isEmpty();
      assertThat(judge.harmDone()).as("harm done under old tokens").isEmpty();
      assertThat(judge.completed()).isEqualTo(submitted);
      assertThat(judge.overtakenAttempts()).as("attempts that were overtaken").isPositive();
      assertPrompt(judge.interruptLatencies());
      if (ChaosStorm.IS_LONG) {
        assertThat(peaks(judge))
            .as("limits of hundreds are used")
            .containsEntry(ChaosWork.FIFTY_ONE.name(), 51)
            .containsEntry(ChaosWork.HUNDREDS.name(), 255);
      }
      for (Group group : sluice.concurrency().groups()) {
        assertThat(sluice.concurrency().status(group).active()).as("slots of %s", group).isZero();
      }
      assertThat(fixture.recount())
          .as("counters and holders on record")
          .allSatisfy((place, count) -> assertThat(count.agrees()).as(place).isTrue());
    }
  }

  /**
   * A handler of a worker that was frozen past its lease is interrupted within {@link #INTERRUPTED}
   * of waking. Some of that time goes by before the process is woken at all, and all processes
   * share the machine: so half of the handlers keep the promise to the letter, and none is late by
   * much.
   */
  private static void assertPrompt(List<Duration> latencies) {
    assertThat(latencies).as("handlers interrupted after waking, quickest first").isNotEmpty();
    assertThat(latencies.get((latencies.size() - 1) / 2))
        .as("half of them: %s", latencies)
        .isLessThanOrEqualTo(INTERRUPTED);
    assertThat(latencies.get(latencies.size() - 1))
        .as("the slowest: %s", latencies)
        .isLessThan(INTERRUPTED.multipliedBy(10));
  }

  private Set<UUID> wreakHavoc(
      Random random, Sluice sluice, ChaosFleet fleet, Map<String, LimitTimeline> limits)
      throws Exception {
    Set<UUID> submitted = new HashSet<>(submitWave(sluice, random));
    fleet.launch(WORKERS);
    ExecutorService operator = Executors.newSingleThreadExecutor();
    try {
      Future<?> changes = operator.submit(() -> changeLimits(sluice, limits));
      ChaosStorm storm = new ChaosStorm(random, fleet, frozenFor);
      long end = System.nanoTime() + ChaosStorm.LENGTH.toNanos();
      long nextWave = System.nanoTime();
      while (System.nanoTime() < end || isTooMild(fleet, end)) {
        if (System.nanoTime() >= nextWave) {
          submitted.addAll(submitWave(sluice, random));
          nextWave = System.nanoTime() + Duration.ofSeconds(1).toNanos();
        }
        storm.rage();
      }
      storm.subside();
      changes.get();
    } finally {
      operator.shutdownNow();
    }
    return submitted;
  }

  /**
   * Whether no attempt was overtaken yet, or no handler interrupted because its frozen worker lost
   * the lease, and there is time left to bring that about: on a slow machine processes may be
   * frozen with nothing to do.
   */
  private static boolean isTooMild(ChaosFleet fleet, long end) {
    if (System.nanoTime() >= end + MORE_CHAOS.toNanos()) {
      return false;
    }
    ChaosJudge judge = fleet.judge();
    return judge.interruptLatencies().isEmpty() || judge.overtakenAttempts() == 0;
  }

  /** As much as a second of work under the limits, or a little more. */
  private static List<UUID> submitWave(Sluice sluice, Random random) {
    List<UUID> ids = new ArrayList<>();
    int slice = ChaosProcess.SLICE_MS;
    ids.addAll(submit(sluice, ChaosWork.ONE, 15, () -> work(random, 1, 3, slice)));
    ids.addAll(submit(sluice, ChaosWork.THREE, 40, () -> work(random, 1, 8, slice)));
    ids.addAll(submit(sluice, ChaosWork.TEN, 80, () -> work(random, 1, 8, slice)));
    ids.addAll(submit(sluice, ChaosWork.KEYED, 50, () -> work(random, 1, 8, slice)));
    ids.addAll(submit(sluice, ChaosWork.SLOW, 3, () -> work(random, 200, 300, slice)));
    if (ChaosStorm.IS_LONG) {
      ids.addAll(
          submit(sluice, ChaosWork.FIFTY_ONE, 34, () -> work(random, 20, 40, LONG_SLICE_MS)));
      ids.addAll(
          submit(sluice, ChaosWork.HUNDREDS, 165, () -> work(random, 20, 40, LONG_SLICE_MS)));
    }
    return ids;
  }

  /** In long chaos, half of the jobs with keys are of a few busy ones. */
  private static ChaosWork work(Random random, int least, int most, int sliceMs) {
    int key = random.nextInt(random.nextBoolean() ? BUSY_KEYS : KEYS);
    return new ChaosWork("key-" + key, random.nextInt(least, most + 1), sliceMs);
  }

  private static List<UUID> submit(
      Sluice sluice, Task<ChaosWork> task, int count, Supplier<ChaosWork> work) {
    List<ChaosWork> payloads = Stream.generate(work).limit(count).toList();
    return sluice.submitAll(task, payloads).stream().map(Submission::id).toList();
  }

  private static void changeLimits(Sluice sluice, Map<String, LimitTimeline> limits) {
    int[][] changes = {{3, 5}, {10, 4}, {3, 2}, {10, 10}, {3, 3}, {3, 1}, {10, 7}, {3, 3}};
    for (int[] change : changes) {
      Task<ChaosWork> task = change[0] == 3 ? ChaosWork.THREE : ChaosWork.TEN;
      limits
          .get(task.name())
          .change(change[1], () -> sluice.concurrency().setLimit(task.group(), change[1]));
      try {
        Thread.sleep(ChaosStorm.LENGTH.toMillis() / (changes.length + 1) / 2);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      }
    }
  }

  private static void print(ChaosJudge judge, int submitted) {
    System.out.printf("%d jobs, %s%n", submitted, judge.summary());
    System.out.println("peak overlap " + peaks(judge));
    List<Duration> latencies = judge.interruptLatencies();
    if (!latencies.isEmpty()) {
      System.out.printf(
          "%d handlers interrupted after waking, median %d ms, slowest %d ms%n",
          latencies.size(),
          latencies.get(latencies.size() / 2).toMillis(),
          latencies.get(latencies.size() - 1).toMillis());
    }
  }

  private static Map<String, Integer> peaks(ChaosJudge judge) {
    Map<String, Integer> peaks = new TreeMap<>();
    judge
        .intervals()
        .forEach(
            (group, intervals) ->
                peaks.merge(
                    group.replaceAll("/.*", "/*"), OverlapMeter.peak(intervals), Math::max));
    return peaks;
  }
}
