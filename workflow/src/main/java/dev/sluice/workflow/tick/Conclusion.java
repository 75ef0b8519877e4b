package dev.sluice.workflow.tick;

import dev.sluice.JobState;
import dev.sluice.spi.JobStanding;
import dev.sluice.workflow.RunState;
import dev.sluice.workflow.StepState;
import dev.sluice.workflow.StepWork;
import dev.sluice.workflow.tick.RunProgress.Ending;
import dev.sluice.workflow.tick.RunProgress.Undo;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * The last part of a tick: what all of this means for the run. One that is on its way to an end
 * waits until nothing of it is in flight; then, if it is to be undone, its steps are undone one by
 * one, latest first.
 */
final class Conclusion {
  private final TickDraft draft;

  private Conclusion(TickDraft draft) {
    this.draft = draft;
  }

  static void of(TickDraft draft) {
    Conclusion conclusion = new Conclusion(draft);
    if (draft.ending == Ending.NONE) {
      conclusion.conclude();
    } else {
      conclusion.windDown();
    }
  }

  private void conclude() {
    if (draft.state == RunState.PAUSED || !draft.unsized.isEmpty()) {
      return;
    }
    if (Arrays.stream(draft.steps).allMatch(step -> step.state().finished())) {
      draft.again = false;
      if (draft.sight.findings().noOutput().isPresent()) {
        draft.state = draft.state.to(RunState.FAILED);
        draft.message = draft.sight.findings().noOutput();
        return;
      }
      if (draft.graph.definition().output().isPresent()
          && draft.sight.findings().output().isEmpty()) {
        draft.needsOutput = true;
        return;
      }
      draft.output = draft.sight.findings().output();
      draft.state = draft.state.to(RunState.SUCCEEDED);
      draft.message = Optional.empty();
      return;
    }
    boolean signal = false;
    boolean other =
        draft.inFlight > 0
            || draft.again
            || draft.before.caps().maxConcurrentSteps().orElse(1) == 0;
    for (int i = 0; i < draft.steps.length; i++) {
      if (draft.steps[i].state() == StepState.RUNNING) {
        boolean waits = draft.graph.step(i).work() instanceof StepWork.Signal;
        signal |= waits;
        other |= !waits;
      }
    }
    draft.state = draft.state.to(signal && !other ? RunState.WAITING_SIGNAL : RunState.RUNNING);
  }

  private void windDown() {
    if (draft.ending == Ending.COMPENSATE) {
      draft.state = draft.state.to(RunState.COMPENSATING);
    } else if (draft.state == RunState.PENDING) {
      draft.state = draft.state.to(RunState.RUNNING);
    }
    if (Arrays.stream(draft.steps).anyMatch(step -> step.state() == StepState.RUNNING)) {
      return;
    }
    draft.again = false;
    StepState left = draft.ending == Ending.CANCEL ? StepState.CANCELLED : StepState.SKIPPED;
    for (int i = 0; i < draft.steps.length; i++) {
      if (draft.steps[i].state() == StepState.PENDING) {
        draft.steps[i] = draft.steps[i].with(left);
      }
    }
    switch (draft.ending) {
      case FAIL -> draft.state = draft.state.to(RunState.FAILED);
      case CANCEL -> draft.state = draft.state.to(RunState.CANCELLED);
      default -> undoNext();
    }
  }

  /** One after the other, each when the one before has ended; whatever the cap says. */
  private void undoNext() {
    if (draft.undo.running() && !isUndone()) {
      return;
    }
    for (Optional<Integer> next = draft.undoing(); next.isPresent(); next = draft.undoing()) {
      StepJobId job = draft.undoJob(next.get());
      String fault = draft.sight.findings().faults().get(job);
      if (fault == null) {
        draft.undo = new Undo(draft.undo.done(), true, draft.undo.failures());
        draft.submit.add(job);
        return;
      }
      undone(next.get(), TickDraft.faulty(fault));
    }
    draft.state = draft.state.to(RunState.FAILED);
    if (!draft.undo.failures().isEmpty()) {
      draft.message =
          Optional.of(
              draft.message.orElse("")
                  + "; not undone: "
                  + String.join("; ", draft.undo.failures()));
    }
  }

  /** Whether what is being undone has come to an end. */
  private boolean isUndone() {
    int index = draft.undoing().orElseThrow();
    StepJobId job = draft.undoJob(index);
    JobStanding standing = draft.sight.jobs().get(job.id());
    String fault = draft.sight.findings().faults().get(job);
    if (standing == null && fault != null) {
      standing = TickDraft.faulty(fault);
    }
    if (standing == null) {
      draft.submit.add(job);
      return false;
    }
    if (standing.ended().isEmpty()) {
      return false;
    }
    undone(index, standing);
    return true;
  }

  private void undone(int index, JobStanding standing) {
    List<String> failures = new ArrayList<>(draft.undo.failures());
    if (standing.ended().orElse(null) != JobState.SUCCEEDED) {
      failures.add(
          "step '%s': %s".formatted(draft.graph.step(index).name(), TickDraft.why(standing)));
    }
    draft.undo = new Undo(draft.undo.done() + 1, false, List.copyOf(failures));
  }
}
