package dev.sluice.workflow.tick;

import dev.sluice.workflow.OnFailure;
import dev.sluice.workflow.RunState;
import dev.sluice.workflow.StepState;
import dev.sluice.workflow.StepWork;
import dev.sluice.workflow.tick.RunProgress.Ending;
import dev.sluice.workflow.tick.StepProgress.Child;
import dev.sluice.workflow.tick.StepProgress.Items;
import dev.sluice.workflow.tick.StepProgress.Wait;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.IntStream;

/**
 * The second part of a tick: starts what is ready, in order, as far as the caps allow. Each element
 * of a list counts as a step of its own.
 */
final class Starting {
  private final TickDraft draft;
  private final int cap;
  private final int turn;

  private Starting(TickDraft draft) {
    this.draft = draft;
    this.cap = draft.before.caps().maxConcurrentSteps().orElse(Integer.MAX_VALUE);
    this.turn = draft.before.caps().maxStepsPerTick().orElse(Integer.MAX_VALUE);
  }

  static void in(TickDraft draft) {
    new Starting(draft).start();
  }

  private void start() {
    for (int i : draft.graph.startOrder()) {
      if (draft.ending != Ending.NONE || draft.state == RunState.PAUSED) {
        return;
      }
      StepWork work = draft.graph.step(i).work();
      boolean pending = draft.steps[i].state() == StepState.PENDING && isReady(i);
      if (pending
          && (cap == 0 || draft.started >= turn || (work.isCounted() && draft.inFlight >= cap))) {
        draft.deferred++;
        draft.again |= draft.started >= turn && draft.inFlight < cap;
      } else if (pending && work instanceof StepWork.Each) {
        open(i);
      } else if (pending) {
        start(i, work);
      }
      if (draft.steps[i].state() == StepState.RUNNING && work instanceof StepWork.Each) {
        startItems(i);
      }
    }
  }

  private boolean isReady(int i) {
    for (int dependency : draft.graph.dependencies(i)) {
      StepState how = draft.steps[dependency].state();
      boolean gone =
          how == StepState.FAILED
              && draft.graph.step(dependency).policy().onFailure() == OnFailure.CONTINUE;
      if (how != StepState.SUCCEEDED && !gone) {
        return false;
      }
    }
    return true;
  }

  private void start(int i, StepWork work) {
    StepProgress step = draft.steps[i].with(StepState.RUNNING);
    draft.steps[i] = step;
    draft.started++;
    if (work instanceof StepWork.Call) {
      String fault = draft.sight.findings().faults().get(draft.stepJob(step));
      if (fault == null) {
        draft.submit.add(draft.stepJob(step));
        draft.inFlight++;
      } else {
        failAtOnce(i, fault);
      }
    } else if (work instanceof StepWork.Sleep sleep) {
      draft.submit.add(draft.timer(step));
      draft.steps[i] = step.with(new Wait(draft.sight.now() + sleep.duration().toMillis()));
    } else if (work instanceof StepWork.Signal signal) {
      if (draft.signals.containsKey(signal.signal())) {
        draft.takeSignal(i, signal.signal());
        draft.again = true;
      } else if (signal.timeout().isPresent()) {
        draft.submit.add(draft.timer(step));
        draft.steps[i] = step.with(new Wait(draft.sight.now() + signal.timeout().get().toMillis()));
      }
    } else {
      String obstacle = draft.sight.findings().obstacles().get(i);
      if (obstacle == null) {
        UUID child = draft.sight.runIds().get();
        draft.steps[i] = step.with(new Child(child));
        draft.createRuns.put(i, child);
      } else {
        failAtOnce(i, obstacle);
      }
    }
  }

  /** A step that may come before it in the order of starts is ready by this, perhaps. */
  private void failAtOnce(int i, String why) {
    draft.fail(i, why);
    draft.again = true;
  }

  /** Begins a step over a list, if it is known how long that is. */
  private void open(int i) {
    Integer size = draft.sight.findings().sizes().get(i);
    String obstacle = draft.sight.findings().obstacles().get(i);
    if (draft.steps[i].items().isPresent()) {
      draft.steps[i] = draft.steps[i].with(StepState.RUNNING);
    } else if (obstacle != null) {
      failAtOnce(i, obstacle);
    } else if (size == null) {
      draft.unsized.add(i);
    } else if (size == 0) {
      draft.succeed(i, Items.of(0));
      draft.again = true;
    } else {
      draft.steps[i] = draft.steps[i].with(StepState.RUNNING).with(Items.of(size));
    }
  }

  private void startItems(int i) {
    StepProgress step = draft.steps[i];
    Items items = step.items().orElseThrow();
    if (draft.isStopped(i, items)) {
      return;
    }
    int left = items.again().size() + items.size() - items.begun();
    int room = Math.max(0, Math.min(left, Math.min(cap - draft.inFlight, turn - draft.started)));
    draft.deferred += left - room;
    draft.again |= left > room && draft.started + room >= turn && draft.inFlight + room < cap;
    if (room == 0) {
      return;
    }
    int[] repeated = items.again().stream().limit(room).toArray();
    int fresh = room - repeated.length;
    int[] next = IntStream.range(items.begun(), items.begun() + fresh).toArray();
    Items begun = items.started(IntSet.of(repeated).plus(IntSet.of(next)), fresh);
    draft.started += room;
    List<Integer> faulty = new ArrayList<>();
    Optional<String> error = step.error();
    for (int item : IntStream.concat(Arrays.stream(repeated), Arrays.stream(next)).toArray()) {
      StepJobId job = draft.itemJob(step, begun, item);
      String fault = draft.sight.findings().faults().get(job);
      if (fault == null) {
        draft.submit.add(job);
        draft.inFlight++;
      } else {
        faulty.add(item);
        error = error.or(() -> Optional.of("element " + item + ": " + fault));
      }
    }
    draft.again |= !faulty.isEmpty();
    draft.steps[i] =
        new StepProgress(
            step.number(),
            StepState.RUNNING,
            step.attempt(),
            0,
            error,
            begun.ended(IntSet.EMPTY, IntSet.of(faulty)));
  }
}
