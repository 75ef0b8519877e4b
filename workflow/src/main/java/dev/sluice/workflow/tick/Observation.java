package dev.sluice.workflow.tick;

import com.fasterxml.jackson.databind.node.NullNode;
import dev.sluice.JobState;
import dev.sluice.spi.JobStanding;
import dev.sluice.workflow.RunState;
import dev.sluice.workflow.StepState;
import dev.sluice.workflow.StepWork;
import dev.sluice.workflow.tick.RunProgress.Ending;
import dev.sluice.workflow.tick.Sight.ChildSight;
import dev.sluice.workflow.tick.StepProgress.Child;
import dev.sluice.workflow.tick.StepProgress.Items;
import dev.sluice.workflow.tick.StepProgress.Nothing;
import dev.sluice.workflow.tick.StepProgress.Value;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Consumer;

/**
 * The first part of a tick: looks at every step that has started, and lets those end whose jobs
 * have. Steps that ended since the last look end in the order in which their jobs did.
 */
final class Observation {
  private final TickDraft draft;
  private final List<End> ends = new ArrayList<>();

  /** A job of a step that was seen to have ended. */
  private record End(int step, JobStanding standing) {
    Instant at() {
      return standing.finishedAt().orElse(Instant.MIN);
    }
  }

  private Observation(TickDraft draft) {
    this.draft = draft;
  }

  static void of(TickDraft draft) {
    new Observation(draft).all();
  }

  private void all() {
    for (int i = 0; i < draft.steps.length; i++) {
      if (draft.steps[i].state() == StepState.RUNNING) {
        observe(i);
      }
    }
    ends.sort(Comparator.comparing(End::at).thenComparingInt(End::step));
    ends.forEach(this::end);
    for (int i = 0; i < draft.steps.length; i++) {
      settleItems(i);
    }
  }

  private void observe(int i) {
    StepProgress step = draft.steps[i];
    StepWork work = draft.graph.step(i).work();
    if (work instanceof StepWork.Call) {
      observe(draft.stepJob(step), standing -> ends.add(new End(i, standing)));
    } else if (work instanceof StepWork.Each) {
      observeItems(i);
    } else if (work instanceof StepWork.Sleep) {
      observeSleep(i);
    } else if (work instanceof StepWork.Signal signal) {
      observeSignal(i, signal);
    } else {
      observeChild(i);
    }
  }

  /** A job that counts. One that is not there is submitted, also to be called off right after. */
  private void observe(StepJobId job, Consumer<JobStanding> ended) {
    JobStanding standing = draft.sight.jobs().get(job.id());
    String fault = draft.sight.findings().faults().get(job);
    if (standing == null && fault != null) {
      ended.accept(TickDraft.faulty(fault));
      return;
    }
    if (standing != null && standing.ended().isPresent()) {
      ended.accept(standing);
      return;
    }
    draft.inFlight++;
    if (standing == null) {
      draft.submit.add(job);
    }
    if (draft.calledOff()) {
      draft.cancel.add(job);
    }
  }

  private void observeItems(int i) {
    StepProgress step = draft.steps[i];
    Items items = step.items().orElseThrow();
    List<Integer> done = new ArrayList<>();
    Map<Integer, JobStanding> lost = new LinkedHashMap<>();
    items.inFlight().stream()
        .forEach(
            item ->
                observe(
                    draft.itemJob(step, items, item),
                    standing -> {
                      if (standing.ended().get() == JobState.SUCCEEDED) {
                        done.add(item);
                      } else {
                        lost.put(item, standing);
                      }
                    }));
    List<Integer> retried = new ArrayList<>();
    List<Integer> failed = new ArrayList<>();
    Optional<String> error = step.error();
    for (Map.Entry<Integer, JobStanding> each : lost.entrySet()) {
      if (mayRetry(i, each.getValue(), items.attempt(each.getKey()))) {
        retried.add(each.getKey());
      } else {
        failed.add(each.getKey());
        error =
            error.or(
                () ->
                    Optional.of(
                        "element " + each.getKey() + ": " + TickDraft.why(each.getValue())));
      }
    }
    IntSet over = IntSet.of(done).plus(IntSet.of(retried));
    Items next = items.ended(over, IntSet.of(failed));
    if (!retried.isEmpty()) {
      next =
          new Items(
                  next.size(),
                  next.begun(),
                  next.inFlight(),
                  next.again().plus(IntSet.of(retried)),
                  next.failed(),
                  next.attempts())
              .nextAttempt(IntSet.of(retried));
    }
    draft.steps[i] = new StepProgress(step.number(), step.state(), step.attempt(), 0, error, next);
  }

  private boolean mayRetry(int i, JobStanding standing, int attempt) {
    return draft.ending == Ending.NONE
        && standing.ended().orElse(null) == JobState.FAILED
        && draft.graph.step(i).policy().retry().allowsAnotherAfter(attempt);
  }

  private void observeSleep(int i) {
    StepJobId timer = draft.timer(draft.steps[i]);
    JobStanding standing = draft.sight.jobs().get(timer.id());
    if (standing != null && standing.ended().isPresent()) {
      draft.succeed(i, Nothing.IT);
    } else if (draft.ending != Ending.NONE) {
      draft.cancel.add(timer);
      draft.steps[i] = draft.steps[i].with(StepState.CANCELLED);
    } else if (standing == null) {
      draft.submit.add(timer);
    }
  }

  private void observeSignal(int i, StepWork.Signal signal) {
    StepJobId timer = draft.timer(draft.steps[i]);
    JobStanding standing = draft.sight.jobs().get(timer.id());
    boolean timed = signal.timeout().isPresent();
    if (draft.ending == Ending.NONE && draft.signals.containsKey(signal.signal())) {
      draft.takeSignal(i, signal.signal());
    } else if (draft.ending != Ending.NONE) {
      draft.steps[i] = draft.steps[i].with(StepState.CANCELLED);
    } else if (timed && standing != null && standing.ended().isPresent()) {
      draft.fail(i, "the signal '%s' did not come in time".formatted(signal.signal()));
    } else if (timed && standing == null) {
      draft.submit.add(timer);
    }
    boolean over = draft.steps[i].state() != StepState.RUNNING;
    if (over && timed && standing != null && standing.ended().isEmpty()) {
      draft.cancel.add(timer);
    }
  }

  private void observeChild(int i) {
    UUID child = ((Child) draft.steps[i].extra()).run();
    ChildSight seen = draft.sight.children().get(child);
    String obstacle = draft.sight.findings().obstacles().get(i);
    boolean missing = seen == null || !seen.ours();
    boolean over = draft.ending != Ending.NONE;
    if (missing && over && (obstacle != null || seen != null)) {
      draft.steps[i] = draft.steps[i].with(StepState.CANCELLED);
    } else if (missing && obstacle != null) {
      draft.fail(i, obstacle);
    } else if (missing) {
      UUID next = seen == null ? child : draft.sight.runIds().get();
      draft.steps[i] = draft.steps[i].with(new Child(next));
      draft.createRuns.put(i, next);
      if (over) {
        // Somebody may be about to create it; so it has to be there before it can be called off.
        draft.cancelRuns.add(next);
      }
    } else if (seen.state() == RunState.SUCCEEDED) {
      draft.succeed(i, new Value(seen.output().orElse(NullNode.getInstance())));
    } else if (seen.state().finished()) {
      if (draft.ending != Ending.NONE) {
        draft.steps[i] = draft.steps[i].with(StepState.CANCELLED);
      } else {
        draft.fail(
            i,
            "the run %s is %s%s"
                .formatted(child, seen.state(), seen.message().map(why -> ": " + why).orElse("")));
      }
    } else if (draft.ending != Ending.NONE) {
      draft.cancelRuns.add(child);
    }
  }

  private void end(End end) {
    int i = end.step;
    JobState how = end.standing.ended().orElseThrow();
    if (how == JobState.SUCCEEDED) {
      draft.succeed(i, draft.steps[i].extra());
    } else if (mayRetry(i, end.standing, draft.steps[i].attempt())) {
      draft.steps[i] = draft.steps[i].again(StepState.PENDING);
    } else if (how == JobState.CANCELLED && draft.calledOff()) {
      draft.steps[i] = draft.steps[i].with(StepState.CANCELLED);
    } else {
      draft.fail(i, TickDraft.why(end.standing));
    }
  }

  /** A step over a list ends when nothing of it is in flight and nothing more is to start. */
  private void settleItems(int i) {
    StepProgress step = draft.steps[i];
    if (step.state() != StepState.RUNNING || step.items().isEmpty()) {
      return;
    }
    Items items = step.items().get();
    boolean all = items.begun() == items.size() && items.again().isEmpty();
    if (!items.inFlight().isEmpty()
        || !(all || draft.isStopped(i, items) || draft.ending != Ending.NONE)) {
      return;
    }
    if (draft.calledOff()) {
      draft.steps[i] = step.with(StepState.CANCELLED);
    } else if (!items.failed().isEmpty()) {
      draft.fail(
          i,
          "%,d of %,d elements failed; %s"
              .formatted(items.failed().size(), items.size(), step.error().orElse("")));
    } else if (all) {
      draft.succeed(i, items);
    } else {
      draft.steps[i] = step.with(StepState.CANCELLED);
    }
  }
}
