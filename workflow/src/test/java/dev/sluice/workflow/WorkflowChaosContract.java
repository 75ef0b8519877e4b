package dev.sluice.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.JobInfo;
import dev.sluice.JobState;
import dev.sluice.Sluice;
import dev.sluice.spi.JobCatalog;
import dev.sluice.tck.LimitTimeline;
import dev.sluice.tck.OverlapMeter;
import dev.sluice.tck.OverlapMeter.Interval;
import dev.sluice.tck.chaos.ChaosFleet;
import dev.sluice.tck.chaos.ChaosJudge;
import dev.sluice.tck.chaos.ChaosStorm;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * Several processes that serve workflows on one store, killed and frozen at random while runs go
 * on. However that goes, no run has more steps in flight than its cap, every step is done once, and
 * every run ends well, with nothing left over.
 *
 * <p>What is in flight is measured three times. By the handlers that are at work, where a killed
 * one ends with the kill and a frozen one with its lease. By the steps, from the first start of
 * each to the end of its last attempt: between two attempts a step is in flight though no handler
 * is at it, and what becomes of leases does not matter. And by the store, which is asked every now
 * and then for the jobs that exist and have not ended, waiting ones included.
 */
@Isolated("its processes need the whole machine")
abstract class WorkflowChaosContract {
  private static final int WORKERS = 4;
  private static final Duration LEASE = Duration.ofMillis(2_500);
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private final List<Started> runs = new ArrayList<>();
  private final List<Started> live = new ArrayList<>();
  private final Map<String, LimitTimeline> caps = new HashMap<>();
  private final Map<String, Integer> mostOnRecord = new TreeMap<>();
  private final List<String> tooManyOnRecord = new ArrayList<>();
  private Sluice sluice;
  private Workflows workflows;

  abstract String url();

  /** How long a worker must be silent until others have surely been given its jobs. */
  abstract Duration takenOverAfter(Duration lease);

  /** A run, and the results its jobs are to have. */
  private record Started(ChaosPlan plan, UUID run, Instant createdAt, Map<UUID, String> results) {
    String type() {
      return plan.definition().type();
    }
  }

  @Test
  @Timeout(1_200)
  void workersKilledAndFrozenWhileRunsGoOn_everyCapHolds(
      @TempDir(cleanup = CleanupMode.ON_SUCCESS) Path directory) throws Exception {
    long seed = Long.getLong("sluice.chaos.seed", System.nanoTime());
    System.out.printf("sluice.chaos.seed=%d, logs in %s%n", seed, directory);
    try (Stage stage = new Stage(url())) {
      sluice = stage.open();
      workflows = stage.closing(Workflows.on(sluice));
      ChaosFleet.Venue venue = new ChaosFleet.Venue(url(), stage.schema(), Map.of());
      try (ChaosFleet fleet = new ChaosFleet(WorkflowChaosWorker.class, venue, directory, LEASE)) {
        wreakHavoc(new Random(seed), fleet);
        Stage.await()
            .untilAsserted(
                () -> {
                  lookAtTheJobs();
                  assertThat(live()).as("runs that do not end").isEmpty();
                });
        assertThat(fleet.stopAll()).as("every worker drains and ends by itself").isTrue();
        ChaosJudge judge = fleet.judge();
        print(judge);
        theCapsHeld(judge);
        everyStepIsDoneOnce(judge);
        nothingIsLeftOver();
      }
    }
  }

  private void wreakHavoc(Random random, ChaosFleet fleet) throws Exception {
    fleet.launch(WORKERS);
    ChaosPlan.ALL.forEach(this::start);
    ChaosStorm storm = new ChaosStorm(random, fleet, takenOverAfter(LEASE));
    long end = System.nanoTime() + ChaosStorm.LENGTH.toNanos();
    // Where handlers are slow to come up, kills and freezes may miss them all at first.
    while (System.nanoTime() < end || !anyStepWasStruck()) {
      Set<ChaosPlan> atWork = new HashSet<>();
      live().forEach(started -> atWork.add(started.plan));
      ChaosPlan.ALL.stream().filter(plan -> !atWork.contains(plan)).forEach(this::start);
      lookAtTheJobs();
      storm.rage();
    }
    storm.subside();
  }

  private boolean anyStepWasStruck() {
    return runs.stream()
        .flatMap(started -> catalog().getAll(started.results.keySet(), started.createdAt).stream())
        .anyMatch(job -> job.progress().attempt() > 1);
  }

  private void start(ChaosPlan plan) {
    LimitTimeline cap = new LimitTimeline();
    cap.change(plan.cap(), () -> {});
    UUID run = workflows.start(plan.definition(), null);
    caps.put(run.toString(), cap);
    Instant createdAt = workflows.get(run).orElseThrow().data().createdAt();
    Started started = new Started(plan, run, createdAt, plan.results(run));
    runs.add(started);
    live.add(started);
  }

  private List<Started> live() {
    live.removeIf(started -> workflows.get(started.run).orElseThrow().state().finished());
    return live;
  }

  /** One look per run, each at one state of the store. */
  private void lookAtTheJobs() {
    for (Started started : live()) {
      long unfinished =
          catalog().standings(started.results.keySet(), started.createdAt).values().stream()
              .filter(standing -> standing.ended().isEmpty())
              .count();
      mostOnRecord.merge(started.type(), (int) unfinished, Math::max);
      if (unfinished > started.plan.cap()) {
        tooManyOnRecord.add(
            "%d jobs of run %s (%s) had not ended".formatted(unfinished, started.run, started));
      }
    }
  }

  private JobCatalog catalog() {
    return sluice.store().jobs();
  }

  private void theCapsHeld(ChaosJudge judge) {
    LimitTimeline nothing = new LimitTimeline();
    nothing.change(0, () -> {});
    assertThat(judge.violations(caps, nothing)).as("handlers beyond a cap").isEmpty();
    assertThat(judge.spanViolations(caps, nothing)).as("steps beyond a cap").isEmpty();
    assertThat(tooManyOnRecord).as("jobs beyond a cap").isEmpty();
  }

  private void everyStepIsDoneOnce(ChaosJudge judge) throws JsonProcessingException {
    assertThat(judge.hastyRestarts()).as("attempts beside one whose lease held").isEmpty();
    assertThat(judge.harmDone()).as("harm done under old tokens").isEmpty();
    assertThat(judge.runAgain()).as("steps that were struck").isPositive();
    Set<UUID> jobs = new HashSet<>();
    runs.forEach(started -> jobs.addAll(started.results.keySet()));
    assertThat(judge.completed()).isEqualTo(jobs);
    for (Started started : runs) {
      List<JobInfo> found = catalog().getAll(started.results.keySet(), started.createdAt);
      assertThat(found).as("the jobs of run %s", started.run).hasSize(started.results.size());
      for (JobInfo job : found) {
        assertThat(job.state()).as("job %s", job.id()).isEqualTo(JobState.SUCCEEDED);
        assertThat(MAPPER.readTree(job.outcome().result().orElseThrow()))
            .as("result of job %s", job.id())
            .isEqualTo(MAPPER.readTree(started.results.get(job.id())));
      }
    }
  }

  private void nothingIsLeftOver() {
    Map<String, Map<String, Long>> ended = new HashMap<>();
    long jobs = 0;
    for (Started started : runs) {
      ended
          .computeIfAbsent(started.type(), type -> new HashMap<>())
          .merge(RunState.SUCCEEDED.toString(), 1L, Long::sum);
      jobs += started.results.size();
    }
    assertThat(workflows.counts()).isEqualTo(ended);
    Map<JobState, Long> counts = new HashMap<>(sluice.jobs().counts());
    counts.values().removeIf(count -> count == 0);
    assertThat(counts)
        .as("jobs, those of no run included")
        .isEqualTo(Map.of(JobState.SUCCEEDED, jobs));
  }

  private void print(ChaosJudge judge) {
    Map<String, Integer> started = new TreeMap<>();
    runs.forEach(each -> started.merge(each.type(), 1, Integer::sum));
    System.out.printf("runs %s, %s%n", started, judge.summary());
    System.out.printf(
        "peaks of handlers %s, of steps %s, of jobs on record %s%n",
        peaks(judge.intervals()), peaks(judge.spans()), mostOnRecord);
  }

  private Map<String, Integer> peaks(Map<String, List<Interval>> intervals) {
    Map<String, Integer> peaks = new TreeMap<>();
    for (Started each : runs) {
      List<Interval> ofRun = intervals.getOrDefault(each.run.toString(), List.of());
      peaks.merge(each.type(), OverlapMeter.peak(ofRun), Math::max);
    }
    return peaks;
  }
}
