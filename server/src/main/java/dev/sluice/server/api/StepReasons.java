package dev.sluice.server.api;

import dev.sluice.JobInfo;
import dev.sluice.server.view.StepView;
import dev.sluice.server.view.WhyView;
import dev.sluice.server.view.WhyView.Reason;
import dev.sluice.workflow.StepState;
import dev.sluice.workflow.WorkflowRun;
import dev.sluice.workflow.WorkflowRun.Step;
import java.util.List;
import java.util.Optional;

/** Says why a step is where it is: what its job's answer is, or what is before it. */
final class StepReasons {
  private final Backend backend;
  private final GroupDetails groups;

  StepReasons(Backend backend) {
    this.backend = backend;
    groups = new GroupDetails(backend);
  }

  WhyView of(WorkflowRun run, Step step) {
    Optional<WhyView> ofItsJob =
        step.job()
            .map(JobInfo::id)
            .flatMap(id -> backend.sluice().why(id))
            .map(why -> WhyView.of(why, groups::withoutChanges));
    if (ofItsJob.isPresent() && step.state() == StepState.RUNNING) {
      return ofItsJob.get();
    }
    return ofItsJob.orElseGet(
        () -> new WhyView(null, null, List.of(reason(run, step)), null, null, null));
  }

  private static Reason reason(WorkflowRun run, Step step) {
    List<String> open = StepView.openDependencies(run, step);
    if (step.state() == StepState.PENDING && !open.isEmpty()) {
      return Reason.of(
          "dependencies",
          "Its dependencies have not ended: %s.".formatted(String.join(", ", open)),
          "steps",
          open);
    }
    return StepView.waitsFor(run, step)
        .map(what -> Reason.of("step_" + step.state(), "It " + what + "."))
        .orElseGet(() -> Reason.of("step_" + step.state(), "It is " + step.state() + "."));
  }
}
