package dev.sluice.server.view;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.sluice.JobInfo;
import dev.sluice.JobState;
import dev.sluice.workflow.RunState;
import dev.sluice.workflow.StepState;
import dev.sluice.workflow.StepWork;
import dev.sluice.workflow.WorkflowRun;
import dev.sluice.workflow.WorkflowRun.Step;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** A step of a run. */
public record StepView(
    String name,
    StepState state,
    int attempt,
    List<String> dependsOn,
    @JsonUnwrapped Work work,
    @Maybe Items items,
    @Maybe String error,
    @Maybe String waitsFor) {

  /** What it does: kind is task, each, sleep, signal or workflow. */
  public record Work(String kind, @Maybe String task, @Maybe UUID job, @Maybe String signal) {}

  /** How far a step over a list has come. */
  public record Items(int total, int succeeded, int running, int failed) {}

  static StepView of(WorkflowRun run, Step step) {
    StepWork work = step.definition().work();
    return new StepView(
        step.name(),
        step.state(),
        step.attempt(),
        step.definition().dependsOn().stream().sorted().toList(),
        new Work(
            kind(work),
            work.call().map(StepWork.Call::task).orElse(null),
            step.job().map(JobInfo::id).orElse(null),
            work instanceof StepWork.Signal signal ? signal.signal() : null),
        step.items()
            .map(i -> new Items(i.size(), i.succeeded(), i.inFlight(), i.failed()))
            .orElse(null),
        step.error().orElse(null),
        waitsFor(run, step).orElse(null));
  }

  private static String kind(StepWork work) {
    if (work instanceof StepWork.Each) {
      return "each";
    } else if (work instanceof StepWork.Sleep) {
      return "sleep";
    } else if (work instanceof StepWork.Signal) {
      return "signal";
    }
    return work instanceof StepWork.Child ? "workflow" : "task";
  }

  /** The steps it depends on that are in its way. */
  public static List<String> openDependencies(WorkflowRun run, Step step) {
    return step.definition().dependsOn().stream()
        .filter(name -> run.step(name).map(on -> !on.isPassed()).orElse(false))
        .sorted()
        .toList();
  }

  /** What a step waits for, as a phrase; empty if it runs, or has ended. */
  public static Optional<String> waitsFor(WorkflowRun run, Step step) {
    if (step.state() == StepState.PENDING) {
      List<String> open = openDependencies(run, step);
      if (!open.isEmpty()) {
        return Optional.of("waits for " + String.join(", ", open));
      }
      return Optional.of(
          run.state() == RunState.PAUSED
              ? "waits for the run to be resumed"
              : "waits for a place under the run's caps");
    }
    if (step.state() != StepState.RUNNING) {
      return Optional.empty();
    }
    StepWork work = step.definition().work();
    if (work instanceof StepWork.Signal signal) {
      return Optional.of("waits for the signal '" + signal.signal() + "'");
    } else if (work instanceof StepWork.Child child) {
      return Optional.of("waits for its run of '" + child.type() + "'");
    } else if (work instanceof StepWork.Sleep) {
      return step.job().map(job -> "sleeps until " + ViewJson.text(job.spec().schedule().runAt()));
    }
    return step.job()
        .map(JobInfo::state)
        .filter(state -> state != JobState.RUNNING)
        .map(state -> "its job is " + state);
  }
}
