package dev.sluice.server.view;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.workflow.RunState;
import dev.sluice.workflow.StepState;
import dev.sluice.workflow.WorkflowRun;
import java.time.Instant;
import java.util.List;
import java.util.UUID;

/** A run of a workflow; the content is there when one is asked for by its id. */
public record RunView(
    @JsonUnwrapped Identity identity,
    @JsonUnwrapped Counts counts,
    Caps caps,
    @Maybe @JsonUnwrapped Content content) {

  /** Which run, and where it is. */
  public record Identity(
      UUID id,
      String type,
      RunState state,
      @Maybe String message,
      Instant createdAt,
      Instant updatedAt) {}

  /** How many steps are where; deferred could start but for a cap. */
  public record Counts(
      int stepCount, int succeededSteps, int runningSteps, int inFlight, int deferred) {}

  /** Its caps; absent = unlimited. */
  public record Caps(@Maybe Integer maxConcurrentSteps, @Maybe Integer maxStepsPerTick) {}

  /** Everything else. */
  public record Content(
      JsonNode input, @Maybe JsonNode output, @Maybe UUID parent, List<StepView> steps) {}

  /** A line of a list. */
  public static RunView summary(WorkflowRun run) {
    return new RunView(identity(run), counts(run), caps(run), null);
  }

  /** Everything. */
  public static RunView full(WorkflowRun run) {
    return new RunView(
        identity(run),
        counts(run),
        caps(run),
        new Content(
            run.data().input(),
            run.data().output().orElse(null),
            run.data().parent().orElse(null),
            run.steps().stream().map(step -> StepView.of(run, step)).toList()));
  }

  private static Identity identity(WorkflowRun run) {
    return new Identity(
        run.id(),
        run.type(),
        run.state(),
        run.message().orElse(null),
        run.data().createdAt(),
        run.data().updatedAt());
  }

  private static Counts counts(WorkflowRun run) {
    return new Counts(
        run.steps().size(),
        count(run, StepState.SUCCEEDED),
        count(run, StepState.RUNNING),
        run.inFlight(),
        run.deferred());
  }

  private static int count(WorkflowRun run, StepState state) {
    return (int) run.steps().stream().filter(step -> step.state() == state).count();
  }

  private static Caps caps(WorkflowRun run) {
    return new Caps(
        LimitChangeView.number(run.data().caps().maxConcurrentSteps()),
        LimitChangeView.number(run.data().caps().maxStepsPerTick()));
  }
}
