package dev.sluice.workflow.tick;

import dev.sluice.workflow.StepDefinition;
import dev.sluice.workflow.StepState;
import dev.sluice.workflow.WorkflowDefinition;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

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
      StepProgress progress = run.steps().get(i);
      if (hasNeverStarted(progress)) {
        continue;
      }
      Optional<StepDefinition> now = next.step(step.name());
      Optional<String> difference =
          now.isEmpty() ? Optional.of("is gone") : difference(step, now.get(), progress);
      if (difference.isPresent()) {
        return Optional.of(problem(step, difference.get()));
      }
    }
    return Optional.empty();
  }

  /** Then it has no jobs, and not even its number matters. */
  private static boolean hasNeverStarted(StepProgress step) {
    return step.state() == StepState.PENDING && step.items().isEmpty() && step.attempt() == 1;
  }

  /** What its jobs did, what becomes of its failure and how it is undone have to stay. */
  private static Optional<String> difference(
      StepDefinition old, StepDefinition next, StepProgress progress) {
    boolean succeeded = progress.state() == StepState.SUCCEEDED;
    if (!next.work().equals(old.work())) {
      return Optional.of("does something else");
    }
    if (!Set.copyOf(next.dependsOn()).equals(Set.copyOf(old.dependsOn()))) {
      return Optional.of("depends on other steps");
    }
    if (!next.input().equals(old.input())) {
      return Optional.of("has another input");
    }
    if (!next.policy().compensateWith().equals(old.policy().compensateWith())) {
      return Optional.of("is undone otherwise");
    }
    if (!succeeded && next.policy().onFailure() != old.policy().onFailure()) {
      return Optional.of("fails otherwise");
    }
    return Optional.empty();
  }

  private static String problem(StepDefinition step, String what) {
    return "the definition has changed: step '%s' has started, and %s in the new definition. Bring the old step back, resume the run to go on under its old definition, or cancel it"
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
