package dev.sluice.workflow.tick;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.JobState;
import dev.sluice.spi.JobStanding;
import dev.sluice.workflow.RunState;
import dev.sluice.workflow.StepState;
import dev.sluice.workflow.WorkflowDefinition;
import dev.sluice.workflow.tick.Sight.ChildSight;
import dev.sluice.workflow.tick.Sight.Findings;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/** A run and its jobs in memory: everything a tick sees, moved by hand. */
final class World {
  final WorkflowGraph graph;
  final UUID run = StepJobId.run(1_000, 1);
  final Map<UUID, JobStanding> jobs = new LinkedHashMap<>();
  final Map<UUID, ChildSight> children = new HashMap<>();
  final Map<Integer, Integer> sizes = new HashMap<>();
  final Map<StepJobId, String> faults = new HashMap<>();
  final Map<Integer, String> obstacles = new HashMap<>();
  final List<StepJobId> submitted = new ArrayList<>();
  RunProgress progress;
  private long clock = 1;
  private int runs = 1;

  World(WorkflowDefinition definition) {
    graph = new WorkflowGraph(definition);
    progress = RunProgress.of(definition);
  }

  /** What a tick would decide now. */
  Plan plan() {
    Map<UUID, JobStanding> seen = new HashMap<>();
    Tick.watched(graph, run, progress)
        .forEach(
            job -> {
              if (jobs.containsKey(job.id())) {
                seen.put(job.id(), jobs.get(job.id()));
              }
            });
    return Tick.plan(graph, run, progress, sight(seen));
  }

  private Sight sight(Map<UUID, JobStanding> seen) {
    Optional<JsonNode> output = Optional.empty();
    return new Sight(
        seen,
        children,
        new Findings(sizes, obstacles, faults, output, Optional.empty()),
        clock,
        () -> StepJobId.run(2_000, ++runs));
  }

  /** One tick, written as JSON and read back, and carried out. */
  Plan tick() {
    Plan plan = plan();
    write(plan);
    carryOut(plan);
    return plan;
  }

  void write(Plan plan) {
    progress = ProgressJson.read(run, ProgressJson.write(plan.next()));
    if (!progress.equals(plan.next())) {
      throw new AssertionError("read back differently: " + plan.next() + " as " + progress);
    }
  }

  void carryOut(Plan plan) {
    for (StepJobId job : plan.submit()) {
      if (jobs.putIfAbsent(job.id(), JobStanding.UNFINISHED) == null) {
        submitted.add(job);
      }
    }
    plan.cancel()
        .forEach(
            job -> {
              if (isUnfinished(job)) {
                end(job, JobState.CANCELLED);
              }
            });
    plan.children()
        .create()
        .values()
        .forEach(
            id ->
                children.putIfAbsent(
                    id,
                    new ChildSight(true, RunState.RUNNING, Optional.empty(), Optional.empty())));
  }

  /** Ticks until nothing changes. */
  void settle() {
    for (Plan plan = tick(); plan.figures().again(); plan = tick()) {
      if (submitted.size() > 100_000) {
        throw new AssertionError("it never settles");
      }
    }
  }

  void end(StepJobId job, JobState how) {
    jobs.put(
        job.id(),
        new JobStanding(
            Optional.of(how),
            Optional.of(Instant.ofEpochSecond(clock++)),
            how == JobState.FAILED ? Optional.of("bad luck") : Optional.empty()));
  }

  /** Ends the latest job of this step. */
  void end(String step, JobState how) {
    end(latest(step), how);
  }

  StepJobId latest(String step) {
    int number = progress.steps().get(graph.indexOf(step)).number();
    StepJobId found = null;
    for (StepJobId job : submitted) {
      found = job.step() == number ? job : found;
    }
    return found;
  }

  List<StepJobId> unfinished() {
    return submitted.stream().distinct().filter(this::isUnfinished).toList();
  }

  boolean isUnfinished(StepJobId job) {
    return jobs.containsKey(job.id()) && jobs.get(job.id()).ended().isEmpty();
  }

  StepState state(String step) {
    return progress.steps().get(graph.indexOf(step)).state();
  }

  /** The names of steps that run, in no particular order. */
  List<String> running() {
    List<String> names = new ArrayList<>();
    for (int i = 0; i < progress.steps().size(); i++) {
      if (progress.steps().get(i).state() == StepState.RUNNING) {
        names.add(graph.step(i).name());
      }
    }
    return names;
  }
}
