package dev.sluice.workflow.tick;

import dev.sluice.workflow.StepDefinition;
import dev.sluice.workflow.StepState;
import dev.sluice.workflow.WorkflowDefinition;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Takes a run over to another definition of its type. What has started stays as it was: such a step
 * must do the same after the same steps. What has not started may change, go or be new.
 */
public final class Adoption {
  private Adoption() {}

  /** Why a run cannot be taken over, naming the step; empty = it can. */
  public static Optional<String> obstacle(
      WorkflowDefinition old, WorkflowDefinition next, RunProgress run) {
    for (int i = 0; i < old.steps().size(); i++) {
      StepDefinition step = old.steps().get(i);
      if (run.steps().get(i).state() == StepState.PENDING && run.steps().get(i).items().isEmpty()) {
        continue;
      }
      Optional<StepDefinition> now = next.step(step.name());
      if (now.isEmpty()) {
        return Optional.of(problem(step, "is gone"));
      }
      if (!now.get().work().equals(step.work())) {
        return Optional.of(problem(step, "does something else"));
      }
      if (!now.get().dependsOn().equals(step.dependsOn())) {
        return Optional.of(problem(step, "depends on other steps"));
      }
    }
    return Optional.empty();
  }

  private static String problem(StepDefinition step, String what) {
    return "the definition has changed: step '%s' has started, and %s in the new definition. Bring the old definition back, or cancel the run"
        .formatted(step.name(), what);
  }

  /** The run under the other definition; steps that are still there keep their numbers. */
  public static RunProgress adopt(
      WorkflowDefinition old, WorkflowDefinition next, RunProgress run) {
    int number = run.steps().stream().mapToInt(StepProgress::number).max().orElse(-1);
    List<StepProgress> steps = new ArrayList<>();
    for (StepDefinition step : next.steps()) {
      int before = indexOf(old, step.name());
      steps.add(before < 0 ? StepProgress.pending(++number) : run.steps().get(before));
    }
    return run.withSteps(steps);
  }

  private static int indexOf(WorkflowDefinition definition, String name) {
    for (int i = 0; i < definition.steps().size(); i++) {
      if (definition.steps().get(i).name().equals(name)) {
        return i;
      }
    }
    return -1;
  }
}
