package dev.sluice.workflow.tick;

import dev.sluice.workflow.RunState;
import dev.sluice.workflow.StepState;
import dev.sluice.workflow.StepWork;
import dev.sluice.workflow.tick.RunProgress.Ending;
import dev.sluice.workflow.tick.StepProgress.Child;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * One look at a run, and what follows from it.
 *
 * <pre>
 *   look at the jobs of every started step ──▶ some have ended ──▶ steps end ──▶ the run may be ending
 *                │ the rest is in flight                              │
 *                ▼                                                    ▼
 *        room = cap − in flight ────────────────────────▶ start what is ready, in order
 * </pre>
 *
 * <p><b>In flight</b> is counted here, in each tick, from what was seen of the jobs: every started
 * step whose job has not ended, ready, waiting, running or between two attempts, and every one
 * whose job was not looked at: a tick may leave jobs out, which lets it start too few steps and
 * never too many. A step that was started and has no job counts too, and its job is submitted
 * (again, under the same id): a process died between writing the decision and carrying it out, or
 * the job was removed. Nothing is ever counted up or down, so nothing drifts.
 *
 * <p><b>Twice is once.</b> The plan is written by compare-and-set before any of it is carried out,
 * and jobs have the ids of what they are for. Of two ticks at the same moment one is written; the
 * other begins anew with what that one wrote.
 *
 * <p><b>Waiting holds nothing:</b> timers, signals and other runs are not counted, though starting
 * one is a start. <b>Undoing</b> is not counted either, and asks no cap.
 */
public final class Tick {
  private Tick() {}

  /** Decides. */
  public static Plan plan(WorkflowGraph graph, UUID run, RunProgress before, Sight sight) {
    TickDraft draft = new TickDraft(graph, run, before, sight);
    if (draft.state.finished()) {
      return draft.plan();
    }
    Observation.of(draft);
    if (draft.ending == Ending.NONE && draft.state != RunState.PAUSED) {
      Starting.in(draft);
    }
    Conclusion.of(draft);
    return draft.plan();
  }

  /** The jobs that a tick has to see. */
  public static List<StepJobId> watched(WorkflowGraph graph, UUID run, RunProgress progress) {
    TickDraft draft = new TickDraft(graph, run, progress, null);
    List<StepJobId> jobs = new ArrayList<>();
    for (int i = 0; i < draft.steps.length; i++) {
      StepProgress step = draft.steps[i];
      StepWork work = graph.step(i).work();
      if (step.state() != StepState.RUNNING) {
        continue;
      } else if (work instanceof StepWork.Call) {
        jobs.add(draft.stepJob(step));
      } else if (work instanceof StepWork.Sleep || hasTimeout(work)) {
        jobs.add(draft.timer(step));
      }
      step.items()
          .ifPresent(
              items ->
                  items.inFlight().stream().forEach(n -> jobs.add(draft.itemJob(step, items, n))));
    }
    if (draft.undo.running()) {
      draft.undoing().ifPresent(i -> jobs.add(draft.undoJob(i)));
    }
    return jobs;
  }

  private static boolean hasTimeout(StepWork work) {
    return work instanceof StepWork.Signal signal && signal.timeout().isPresent();
  }

  /** The runs that a tick has to see. */
  public static List<UUID> children(RunProgress progress) {
    return progress.steps().stream()
        .filter(step -> step.state() == StepState.RUNNING)
        .filter(step -> step.extra() instanceof Child)
        .map(step -> ((Child) step.extra()).run())
        .toList();
  }
}
