package dev.sluice.workflow.internal;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.InvalidRequestException;
import dev.sluice.JobInfo;
import dev.sluice.workflow.StepContext;
import dev.sluice.workflow.StepState;
import dev.sluice.workflow.StepWork;
import dev.sluice.workflow.WorkflowRun;
import dev.sluice.workflow.tick.StepJobId;
import dev.sluice.workflow.tick.StepJobId.Kind;
import dev.sluice.workflow.tick.StepProgress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/** Runs as people and handlers see them. */
public final class RunSteps {
  private RunSteps() {}

  /** Reads JSON as some type. */
  @FunctionalInterface
  public interface Reading {
    /** Reads. */
    <T> T read(JsonNode json, Class<T> type);
  }

  /** The index of the step of this name. */
  public static int indexOf(LoadedRun run, String step) {
    Integer index = run.graph().indexOf(step);
    if (index == null) {
      throw new InvalidRequestException(
          "The workflow '%s' has no step '%s'.".formatted(run.charter().definition().type(), step));
    }
    return index;
  }

  /** The jobs of steps that have one of their own. */
  public static List<UUID> jobs(LoadedRun run) {
    List<UUID> ids = new ArrayList<>();
    for (int i = 0; i < run.progress().steps().size(); i++) {
      job(run, i).ifPresent(ids::add);
    }
    return ids;
  }

  private static Optional<UUID> job(LoadedRun run, int index) {
    StepProgress step = run.step(index);
    StepWork work = run.graph().step(index).work();
    boolean timed =
        work instanceof StepWork.Sleep
            || (work instanceof StepWork.Signal signal && signal.timeout().isPresent());
    if (step.state() == StepState.PENDING
        || step.state() == StepState.SKIPPED
        || !(work instanceof StepWork.Call || timed)) {
      return Optional.empty();
    }
    Kind kind = timed ? Kind.TIMER : Kind.STEP;
    return Optional.of(new StepJobId(run.id(), kind, step.number(), step.attempt(), 0).id());
  }

  /** The run with these jobs of its steps. */
  public static WorkflowRun view(LoadedRun run, List<JobInfo> jobs) {
    Map<UUID, JobInfo> byId = new HashMap<>();
    jobs.forEach(job -> byId.put(job.id(), job));
    List<WorkflowRun.Step> steps = new ArrayList<>();
    for (int i = 0; i < run.progress().steps().size(); i++) {
      StepProgress step = run.step(i);
      steps.add(
          new WorkflowRun.Step(
              run.graph().step(i),
              step.state(),
              step.attempt(),
              step.error(),
              step.items()
                  .map(
                      items ->
                          new WorkflowRun.Items(
                              items.size(),
                              items.succeeded(),
                              items.inFlight().size(),
                              items.failed().size())),
              job(run, i).map(byId::get)));
    }
    return new WorkflowRun(
        run.id(),
        run.charter().definition(),
        run.progress().state(),
        run.progress().message(),
        new WorkflowRun.Data(
            run.progress().caps(),
            run.charter().input(),
            run.progress().notes().output(),
            run.charter().parent(),
            run.stored().createdAt(),
            run.stored().updatedAt()),
        List.copyOf(steps));
  }

  /** What the handler of this job can learn. */
  public static StepContext context(
      LoadedRun run, StepJobId id, StepResults results, Reading reading) {
    int index = run.indexOf(id.step());
    return new StepContext() {
      @Override
      public UUID runId() {
        return run.id();
      }

      @Override
      public String workflow() {
        return run.charter().definition().type();
      }

      @Override
      public String step() {
        return run.graph().step(index).name();
      }

      @Override
      public Optional<Integer> item() {
        return id.kind() == Kind.ITEM ? Optional.of(id.item()) : Optional.empty();
      }

      @Override
      public <T> T input(Class<T> type) {
        return reading.read(run.charter().input(), type);
      }

      @Override
      public JsonNode result(String step) {
        return results.of(run, indexOf(run, step));
      }

      @Override
      public <T> T result(String step, Class<T> type) {
        return reading.read(result(step), type);
      }

      @Override
      public <T> Iterator<T> results(String step, Class<T> type) {
        Iterator<JsonNode> all = results.items(run, indexOf(run, step));
        return new Iterator<>() {
          @Override
          public boolean hasNext() {
            return all.hasNext();
          }

          @Override
          public T next() {
            return reading.read(all.next(), type);
          }
        };
      }
    };
  }
}
