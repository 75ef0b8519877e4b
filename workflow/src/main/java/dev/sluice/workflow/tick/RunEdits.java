package dev.sluice.workflow.tick;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.InvalidRequestException;
import dev.sluice.workflow.OnFailure;
import dev.sluice.workflow.RunState;
import dev.sluice.workflow.StepState;
import dev.sluice.workflow.tick.RunProgress.Ending;
import dev.sluice.workflow.tick.RunProgress.Notes;
import dev.sluice.workflow.tick.StepProgress.Child;
import dev.sluice.workflow.tick.StepProgress.Items;
import dev.sluice.workflow.tick.StepProgress.Nothing;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** What people do to runs. Each throws {@link InvalidRequestException} if it is not the time. */
public final class RunEdits {
  private static final int MOST_SIGNALS = 1_000;
  private static final int MOST_CHARACTERS = 256 << 10;

  private RunEdits() {}

  /** Keeps a signal for the step that waits for it, now or later. */
  public static RunProgress signal(RunProgress run, String name, JsonNode payload) {
    require(!run.state().finished(), run, "takes no signals any more");
    Map<String, List<JsonNode>> signals = new TreeMap<>(run.notes().signals());
    List<JsonNode> waiting = new ArrayList<>(signals.getOrDefault(name, List.of()));
    if (waiting.size() >= MOST_SIGNALS) {
      throw new InvalidRequestException(
          "%,d signals '%s' wait already; no step takes them.".formatted(MOST_SIGNALS, name));
    }
    waiting.add(payload);
    long kept =
        payload.toString().length()
            + signals.values().stream()
                .flatMap(List::stream)
                .mapToLong(other -> other.toString().length())
                .sum();
    if (kept > MOST_CHARACTERS) {
      throw new InvalidRequestException(
          "Signals of %,d characters would wait; at most %,d are kept. Let them be taken first, or send an address."
              .formatted(kept, MOST_CHARACTERS));
    }
    signals.put(name, List.copyOf(waiting));
    Notes notes = run.notes();
    return run.withNotes(
        new Notes(signals, notes.undo(), notes.ordered(), notes.looks(), notes.output()));
  }

  /** Calls the run off. */
  public static RunProgress cancel(RunProgress run) {
    require(!run.state().finished(), run, "cannot be cancelled any more");
    require(run.ending() != Ending.COMPENSATE, run, "cannot be cancelled: it is being undone");
    return run.ending() == Ending.NONE ? run.with(Ending.CANCEL) : run;
  }

  /** Lets nothing more start. */
  public static RunProgress pause(RunProgress run, Optional<String> why) {
    require(
        !run.state().finished() && run.ending() == Ending.NONE, run, "cannot be paused any more");
    // Whoever pauses it once more has no better reason than the first.
    return run.state() == RunState.PAUSED && why.isEmpty() ? run : run.with(RunState.PAUSED, why);
  }

  /** Goes on, and tries steps again whose failure paused the run. */
  public static RunProgress resume(WorkflowGraph graph, RunProgress run) {
    require(run.state() == RunState.PAUSED, run, "is not paused");
    List<StepProgress> steps = new ArrayList<>();
    for (int i = 0; i < run.steps().size(); i++) {
      StepProgress step = run.steps().get(i);
      boolean paused = graph.step(i).policy().onFailure() == OnFailure.PAUSE_WORKFLOW;
      steps.add(step.state() == StepState.FAILED && paused ? revive(step) : step);
    }
    return run.withSteps(steps).with(RunState.RUNNING, Optional.empty());
  }

  /** Takes an ended run up again where it failed or was called off. */
  public static RunProgress retry(WorkflowGraph graph, RunProgress run) {
    if (run.state() == RunState.PAUSED) {
      return resume(graph, run);
    }
    require(
        run.state() == RunState.FAILED || run.state() == RunState.CANCELLED,
        run,
        "cannot be retried: it has not failed and was not cancelled");
    require(
        !run.notes().undo().isBegun(),
        run,
        "cannot be retried: what it had done was undone. Start another");
    List<StepProgress> steps = new ArrayList<>();
    for (int i = 0; i < run.steps().size(); i++) {
      StepProgress step = run.steps().get(i);
      boolean accepted = graph.step(i).policy().onFailure() == OnFailure.CONTINUE;
      switch (step.state()) {
        case FAILED -> steps.add(accepted ? step : revive(step));
        case CANCELLED -> steps.add(revive(step));
        case SKIPPED -> steps.add(step.with(StepState.PENDING));
        default -> steps.add(step);
      }
    }
    return run.withSteps(steps).with(Ending.NONE).with(RunState.RUNNING, Optional.empty());
  }

  private static StepProgress revive(StepProgress step) {
    if (step.attempt() >= StepJobId.MOST_ATTEMPTS) {
      throw new InvalidRequestException("The step has been tried too often; start another run.");
    }
    StepProgress again = step.again(StepState.PENDING);
    if (step.extra() instanceof Items items) {
      return again.with(items.revived());
    }
    return step.extra() instanceof Child ? again.with(Nothing.IT) : again;
  }

  private static void require(boolean holds, RunProgress run, String otherwise) {
    if (!holds) {
      throw new InvalidRequestException("The run is %s and %s.".formatted(run.state(), otherwise));
    }
  }
}
