package dev.sluice.workflow.tick;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.JobState;
import dev.sluice.spi.JobStanding;
import dev.sluice.workflow.OnFailure;
import dev.sluice.workflow.RunState;
import dev.sluice.workflow.StepDefinition;
import dev.sluice.workflow.StepState;
import dev.sluice.workflow.tick.RunProgress.Ending;
import dev.sluice.workflow.tick.RunProgress.Looks;
import dev.sluice.workflow.tick.RunProgress.Notes;
import dev.sluice.workflow.tick.RunProgress.Undo;
import dev.sluice.workflow.tick.StepJobId.Kind;
import dev.sluice.workflow.tick.StepProgress.Items;
import dev.sluice.workflow.tick.StepProgress.Value;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.IntStream;

/**
 * The plan of a tick while it is made: the run as it will be, and what has to be done for that. The
 * parts of a {@link Tick} work on one after the other.
 */
final class TickDraft {
  final WorkflowGraph graph;
  final UUID run;
  final RunProgress before;
  final Sight sight;

  final StepProgress[] steps;
  final Map<String, List<JsonNode>> signals;
  final List<StepJobId> submit = new ArrayList<>();
  final List<StepJobId> cancel = new ArrayList<>();
  final Map<Integer, UUID> createRuns = new LinkedHashMap<>();
  final List<UUID> cancelRuns = new ArrayList<>();
  final Set<Integer> unsized = new LinkedHashSet<>();
  RunState state;
  Optional<String> message;
  Ending ending;
  Undo undo;
  Optional<JsonNode> output;
  int inFlight;
  int started;
  int deferred;
  boolean again;
  boolean needsOutput;
  private int ordered;

  TickDraft(WorkflowGraph graph, UUID run, RunProgress before, Sight sight) {
    this.graph = graph;
    this.run = run;
    this.before = before;
    this.sight = sight;
    this.steps = before.steps().toArray(StepProgress[]::new);
    this.signals = new TreeMap<>(before.notes().signals());
    this.state = before.state();
    this.message = before.message();
    this.ending = before.ending();
    this.undo = before.notes().undo();
    this.ordered = before.notes().ordered();
    this.output = before.notes().output();
  }

  Plan plan() {
    Looks looks = before.notes().looks();
    RunProgress next =
        new RunProgress(
            before.state().to(state),
            message,
            before.caps(),
            ending,
            Arrays.asList(steps),
            new Notes(signals, undo, ordered, looks, output));
    boolean changed = !next.equals(before);
    RunProgress settled =
        changed ? next.withNotes(next.notes().with(new Looks(0, looks.full()))) : before;
    return new Plan(
        settled,
        List.copyOf(submit),
        List.copyOf(cancel),
        new Plan.Children(createRuns, List.copyOf(cancelRuns)),
        new Plan.Needs(unsized, needsOutput),
        new Plan.Figures(inFlight, started, deferred, again));
  }

  // The ids of jobs

  StepJobId stepJob(StepProgress step) {
    return new StepJobId(run, Kind.STEP, step.number(), step.attempt(), 0);
  }

  StepJobId itemJob(StepProgress step, Items items, int item) {
    return new StepJobId(run, Kind.ITEM, step.number(), items.attempt(item), item);
  }

  StepJobId timer(StepProgress step) {
    return new StepJobId(run, Kind.TIMER, step.number(), step.attempt(), 0);
  }

  StepJobId undoJob(int index) {
    return new StepJobId(run, Kind.COMPENSATION, steps[index].number(), 1, 0);
  }

  // What becomes of steps

  /** Whether what is in flight is not wanted any more. */
  boolean calledOff() {
    return ending == Ending.FAIL || ending == Ending.CANCEL;
  }

  void succeed(int i, StepProgress.Extra extra) {
    int order = graph.step(i).policy().compensateWith().isPresent() ? ++ordered : 0;
    steps[i] = steps[i].succeeded(order).with(extra);
  }

  void fail(int i, String why) {
    steps[i] = steps[i].failed(why);
    StepDefinition step = graph.step(i);
    String what = "step '%s' failed: %s".formatted(step.name(), why);
    switch (step.policy().onFailure()) {
      case CONTINUE -> {}
      case PAUSE_WORKFLOW -> {
        if (ending == Ending.NONE && state != RunState.PAUSED) {
          state = state.to(RunState.PAUSED);
          message = Optional.of(what);
        }
      }
      case FAIL_WORKFLOW -> endWith(Ending.FAIL, what);
      case COMPENSATE -> endWith(Ending.COMPENSATE, what);
    }
  }

  private void endWith(Ending next, String what) {
    if (ending == Ending.NONE) {
      ending = next;
      message = Optional.of(what);
      again = true;
    }
  }

  void takeSignal(int i, String name) {
    List<JsonNode> waiting = new ArrayList<>(signals.get(name));
    JsonNode payload = waiting.remove(0);
    if (waiting.isEmpty()) {
      signals.remove(name);
    } else {
      signals.put(name, List.copyOf(waiting));
    }
    succeed(i, new Value(payload));
  }

  /** The index of the step that is undone next, latest first. */
  Optional<Integer> undoing() {
    return IntStream.range(0, steps.length)
        .boxed()
        .filter(i -> steps[i].state() == StepState.SUCCEEDED && steps[i].order() > 0)
        .sorted(Comparator.comparingInt(i -> -steps[i].order()))
        .skip(undo.done())
        .findFirst();
  }

  /** The standing of a job that cannot even be submitted; trying again would not help. */
  static JobStanding faulty(String fault) {
    return new JobStanding(Optional.of(JobState.CANCELLED), Optional.empty(), Optional.of(fault));
  }

  /** Why a job that ended has not succeeded. */
  static String why(JobStanding standing) {
    return standing
        .failure()
        .orElse(
            standing.ended().orElse(null) == JobState.CANCELLED
                ? "its job was cancelled"
                : "its job failed");
  }

  /** Whether nothing more of a step over a list is to start. */
  boolean isStopped(int i, Items items) {
    return !items.failed().isEmpty() && graph.step(i).policy().onFailure() != OnFailure.CONTINUE;
  }
}
