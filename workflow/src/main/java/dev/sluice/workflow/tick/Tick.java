package dev.sluice.workflow.tick;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.NullNode;
import dev.sluice.JobState;
import dev.sluice.spi.JobStanding;
import dev.sluice.workflow.OnFailure;
import dev.sluice.workflow.RunState;
import dev.sluice.workflow.StepDefinition;
import dev.sluice.workflow.StepState;
import dev.sluice.workflow.StepWork;
import dev.sluice.workflow.tick.RunProgress.Ending;
import dev.sluice.workflow.tick.RunProgress.Notes;
import dev.sluice.workflow.tick.RunProgress.Undo;
import dev.sluice.workflow.tick.Sight.ChildSight;
import dev.sluice.workflow.tick.StepJobId.Kind;
import dev.sluice.workflow.tick.StepProgress.Child;
import dev.sluice.workflow.tick.StepProgress.Items;
import dev.sluice.workflow.tick.StepProgress.Nothing;
import dev.sluice.workflow.tick.StepProgress.Value;
import dev.sluice.workflow.tick.StepProgress.Wait;
import java.time.Instant;
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
import java.util.function.Consumer;
import java.util.stream.IntStream;

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
 * step whose job has not ended, ready, waiting, running or between two attempts. A step that was
 * started and has no job counts too, and its job is submitted (again, under the same id): somebody
 * died between writing the decision down and carrying it out, or the job was removed. Nothing is
 * ever counted up or down, so nothing drifts.
 *
 * <p><b>Twice is once.</b> The plan is written by compare-and-set before any of it is carried out,
 * and jobs have the ids of what they are for. Of two ticks at the same moment one is written; the
 * other begins anew with what that one wrote.
 *
 * <p><b>Waiting holds nothing:</b> timers, signals and other runs are not counted, though starting
 * one is a start. <b>Undoing</b> is not counted either, and asks no cap.
 */
public final class Tick {
  private final WorkflowGraph graph;
  private final UUID run;
  private final RunProgress before;
  private final Sight sight;

  private final StepProgress[] steps;
  private final Map<String, List<JsonNode>> signals;
  private final List<StepJobId> submit = new ArrayList<>();
  private final List<StepJobId> cancel = new ArrayList<>();
  private final Map<Integer, UUID> createRuns = new LinkedHashMap<>();
  private final List<UUID> cancelRuns = new ArrayList<>();
  private final Set<Integer> unsized = new LinkedHashSet<>();
  private final List<End> ends = new ArrayList<>();
  private RunState state;
  private Optional<String> message;
  private Ending ending;
  private Undo undo;
  private int ordered;
  private Optional<JsonNode> output;
  private int inFlight;
  private int started;
  private int deferred;
  private boolean again;
  private boolean needsOutput;

  /** A job of a step that was seen to have ended. */
  private record End(int step, JobStanding standing) {
    Instant at() {
      return standing.finishedAt().orElse(Instant.MIN);
    }
  }

  private Tick(WorkflowGraph graph, UUID run, RunProgress before, Sight sight) {
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

  /** The jobs that a tick has to see. */
  public static List<StepJobId> watched(WorkflowGraph graph, UUID run, RunProgress progress) {
    return new Tick(graph, run, progress, null).watched();
  }

  /** The runs that a tick has to see. */
  public static List<UUID> children(RunProgress progress) {
    return progress.steps().stream()
        .filter(step -> step.state() == StepState.RUNNING)
        .filter(step -> step.extra() instanceof Child)
        .map(step -> ((Child) step.extra()).run())
        .toList();
  }

  /** Decides. */
  public static Plan plan(WorkflowGraph graph, UUID run, RunProgress before, Sight sight) {
    return new Tick(graph, run, before, sight).plan();
  }

  private List<StepJobId> watched() {
    List<StepJobId> jobs = new ArrayList<>();
    for (int i = 0; i < steps.length; i++) {
      StepProgress step = steps[i];
      StepWork work = graph.step(i).work();
      if (step.state() != StepState.RUNNING) {
        continue;
      } else if (work instanceof StepWork.Call) {
        jobs.add(stepJob(step));
      } else if (work instanceof StepWork.Sleep || hasTimeout(work)) {
        jobs.add(timer(step));
      }
      step.items()
          .ifPresent(
              items -> items.inFlight().stream().forEach(n -> jobs.add(itemJob(step, items, n))));
    }
    if (undo.running()) {
      undoing().ifPresent(i -> jobs.add(undoJob(i)));
    }
    return jobs;
  }

  private static boolean hasTimeout(StepWork work) {
    return work instanceof StepWork.Signal signal && signal.timeout().isPresent();
  }

  private StepJobId stepJob(StepProgress step) {
    return new StepJobId(run, Kind.STEP, step.number(), step.attempt(), 0);
  }

  private StepJobId itemJob(StepProgress step, Items items, int item) {
    return new StepJobId(run, Kind.ITEM, step.number(), items.attempt(item), item);
  }

  private StepJobId timer(StepProgress step) {
    return new StepJobId(run, Kind.TIMER, step.number(), step.attempt(), 0);
  }

  private StepJobId undoJob(int index) {
    return new StepJobId(run, Kind.COMPENSATION, steps[index].number(), 1, 0);
  }

  private Plan plan() {
    if (state.finished()) {
      return result();
    }
    for (int i = 0; i < steps.length; i++) {
      if (steps[i].state() == StepState.RUNNING) {
        observe(i);
      }
    }
    ends.sort(Comparator.comparing(End::at).thenComparingInt(End::step));
    ends.forEach(this::end);
    for (int i = 0; i < steps.length; i++) {
      settleItems(i);
    }
    if (ending == Ending.NONE && state != RunState.PAUSED) {
      start();
    }
    if (ending == Ending.NONE) {
      conclude();
    } else {
      windDown();
    }
    return result();
  }

  private Plan result() {
    RunProgress next =
        new RunProgress(
            before.state().to(state),
            message,
            before.caps(),
            ending,
            Arrays.asList(steps),
            new Notes(signals, undo, ordered, before.notes().quiet(), output));
    boolean changed = !next.equals(before);
    RunProgress settled =
        changed ? next.withNotes(new Notes(signals, undo, ordered, 0, output)) : before;
    return new Plan(
        settled,
        List.copyOf(submit),
        List.copyOf(cancel),
        new Plan.Children(createRuns, List.copyOf(cancelRuns)),
        new Plan.Needs(unsized, needsOutput),
        new Plan.Figures(inFlight, started, deferred, again));
  }

  // What is seen

  private void observe(int i) {
    StepProgress step = steps[i];
    StepWork work = graph.step(i).work();
    if (work instanceof StepWork.Call) {
      observe(stepJob(step), standing -> ends.add(new End(i, standing)));
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
    JobStanding standing = sight.jobs().get(job.id());
    String fault = sight.findings().faults().get(job);
    if (standing == null && fault != null) {
      ended.accept(faulty(fault));
      return;
    }
    if (standing != null && standing.ended().isPresent()) {
      ended.accept(standing);
      return;
    }
    inFlight++;
    if (standing == null) {
      submit.add(job);
    }
    if (ending == Ending.FAIL || ending == Ending.CANCEL) {
      cancel.add(job);
    }
  }

  /** The standing of a job that cannot even be submitted; trying again would not help. */
  private static JobStanding faulty(String fault) {
    return new JobStanding(Optional.of(JobState.CANCELLED), Optional.empty(), Optional.of(fault));
  }

  private void observeItems(int i) {
    StepProgress step = steps[i];
    Items items = step.items().orElseThrow();
    List<Integer> done = new ArrayList<>();
    Map<Integer, JobStanding> lost = new LinkedHashMap<>();
    items.inFlight().stream()
        .forEach(
            item ->
                observe(
                    itemJob(step, items, item),
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
            error.or(() -> Optional.of("element " + each.getKey() + ": " + why(each.getValue())));
      }
    }
    IntSet over = set(done).plus(set(retried));
    Items next = items.ended(over, set(failed));
    if (!retried.isEmpty()) {
      next =
          new Items(
                  next.size(),
                  next.begun(),
                  next.inFlight(),
                  next.again().plus(set(retried)),
                  next.failed(),
                  next.attempts())
              .nextAttempt(set(retried));
    }
    steps[i] = new StepProgress(step.number(), step.state(), step.attempt(), 0, error, next);
  }

  private static IntSet set(List<Integer> numbers) {
    return IntSet.of(numbers.stream().mapToInt(Integer::intValue).toArray());
  }

  private boolean mayRetry(int i, JobStanding standing, int attempt) {
    return ending == Ending.NONE
        && standing.ended().orElse(null) == JobState.FAILED
        && graph.step(i).policy().retry().allowsAnotherAfter(attempt);
  }

  private static String why(JobStanding standing) {
    return standing
        .failure()
        .orElse(
            standing.ended().orElse(null) == JobState.CANCELLED
                ? "its job was cancelled"
                : "its job failed");
  }

  private void observeSleep(int i) {
    StepJobId timer = timer(steps[i]);
    JobStanding standing = sight.jobs().get(timer.id());
    if (standing != null && standing.ended().isPresent()) {
      succeed(i, Nothing.IT);
    } else if (ending != Ending.NONE) {
      cancel.add(timer);
      steps[i] = steps[i].with(StepState.CANCELLED);
    } else if (standing == null) {
      submit.add(timer);
    }
  }

  private void observeSignal(int i, StepWork.Signal signal) {
    StepJobId timer = timer(steps[i]);
    JobStanding standing = sight.jobs().get(timer.id());
    boolean timed = signal.timeout().isPresent();
    if (ending == Ending.NONE && signals.containsKey(signal.signal())) {
      takeSignal(i, signal.signal());
    } else if (ending != Ending.NONE) {
      steps[i] = steps[i].with(StepState.CANCELLED);
    } else if (timed && standing != null && standing.ended().isPresent()) {
      fail(i, "the signal '%s' did not come in time".formatted(signal.signal()));
    } else if (timed && standing == null) {
      submit.add(timer);
    }
    boolean over = steps[i].state() != StepState.RUNNING;
    if (over && timed && standing != null && standing.ended().isEmpty()) {
      cancel.add(timer);
    }
  }

  private void takeSignal(int i, String name) {
    List<JsonNode> waiting = new ArrayList<>(signals.get(name));
    JsonNode payload = waiting.remove(0);
    if (waiting.isEmpty()) {
      signals.remove(name);
    } else {
      signals.put(name, List.copyOf(waiting));
    }
    succeed(i, new Value(payload));
  }

  private void observeChild(int i) {
    UUID child = ((Child) steps[i].extra()).run();
    ChildSight seen = sight.children().get(child);
    if (seen == null) {
      if (ending == Ending.NONE) {
        createRuns.put(i, child);
      } else {
        steps[i] = steps[i].with(StepState.CANCELLED);
      }
    } else if (!seen.ours()) {
      UUID another = sight.runIds().get();
      steps[i] = steps[i].with(new Child(another));
      createRuns.put(i, another);
    } else if (seen.state() == RunState.SUCCEEDED) {
      succeed(i, new Value(seen.output().orElse(NullNode.getInstance())));
    } else if (seen.state().finished()) {
      if (ending != Ending.NONE) {
        steps[i] = steps[i].with(StepState.CANCELLED);
      } else {
        fail(
            i,
            "the run %s is %s%s"
                .formatted(child, seen.state(), seen.message().map(why -> ": " + why).orElse("")));
      }
    } else if (ending != Ending.NONE) {
      cancelRuns.add(child);
    }
  }

  // What follows for steps

  private void end(End end) {
    int i = end.step;
    JobState how = end.standing.ended().orElseThrow();
    if (how == JobState.SUCCEEDED) {
      succeed(i, steps[i].extra());
    } else if (mayRetry(i, end.standing, steps[i].attempt())) {
      steps[i] = steps[i].again(StepState.PENDING);
    } else if (how == JobState.CANCELLED && calledOff()) {
      steps[i] = steps[i].with(StepState.CANCELLED);
    } else {
      fail(i, why(end.standing));
    }
  }

  private boolean calledOff() {
    return ending == Ending.FAIL || ending == Ending.CANCEL;
  }

  private void succeed(int i, StepProgress.Extra extra) {
    int order = graph.step(i).policy().compensateWith().isPresent() ? ++ordered : 0;
    steps[i] = steps[i].succeeded(order).with(extra);
  }

  private void fail(int i, String why) {
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

  /** A step over a list ends when nothing of it is in flight and nothing more is to start. */
  private void settleItems(int i) {
    StepProgress step = steps[i];
    if (step.state() != StepState.RUNNING || step.items().isEmpty()) {
      return;
    }
    Items items = step.items().get();
    boolean all = items.begun() == items.size() && items.again().isEmpty();
    if (!items.inFlight().isEmpty() || !(all || isStopped(i, items) || ending != Ending.NONE)) {
      return;
    }
    if (calledOff()) {
      steps[i] = step.with(StepState.CANCELLED);
    } else if (!items.failed().isEmpty()) {
      fail(
          i,
          "%,d of %,d elements failed; %s"
              .formatted(items.failed().size(), items.size(), step.error().orElse("")));
    } else if (all) {
      succeed(i, items);
    } else {
      steps[i] = step.with(StepState.CANCELLED);
    }
  }

  private boolean isStopped(int i, Items items) {
    return !items.failed().isEmpty() && graph.step(i).policy().onFailure() != OnFailure.CONTINUE;
  }

  // What starts

  private void start() {
    int cap = before.caps().maxConcurrentSteps().orElse(Integer.MAX_VALUE);
    int turn = before.caps().maxStepsPerTick().orElse(Integer.MAX_VALUE);
    for (int i : graph.startOrder()) {
      if (ending != Ending.NONE || state == RunState.PAUSED) {
        return;
      }
      StepWork work = graph.step(i).work();
      boolean pending = steps[i].state() == StepState.PENDING && isReady(i);
      if (pending && (cap == 0 || started >= turn || (work.isCounted() && inFlight >= cap))) {
        deferred++;
        again |= started >= turn && inFlight < cap;
      } else if (pending && work instanceof StepWork.Each) {
        open(i);
      } else if (pending) {
        start(i, work);
      }
      if (steps[i].state() == StepState.RUNNING && work instanceof StepWork.Each) {
        startItems(i, cap, turn);
      }
    }
  }

  private boolean isReady(int i) {
    for (int dependency : graph.dependencies(i)) {
      StepState how = steps[dependency].state();
      boolean gone =
          how == StepState.FAILED
              && graph.step(dependency).policy().onFailure() == OnFailure.CONTINUE;
      if (how != StepState.SUCCEEDED && !gone) {
        return false;
      }
    }
    return true;
  }

  private void start(int i, StepWork work) {
    StepProgress step = steps[i].with(StepState.RUNNING);
    steps[i] = step;
    started++;
    if (work instanceof StepWork.Call) {
      String fault = sight.findings().faults().get(stepJob(step));
      if (fault == null) {
        submit.add(stepJob(step));
        inFlight++;
      } else {
        fail(i, fault);
      }
    } else if (work instanceof StepWork.Sleep sleep) {
      submit.add(timer(step));
      steps[i] = step.with(new Wait(sight.now() + sleep.duration().toMillis()));
    } else if (work instanceof StepWork.Signal signal) {
      if (signals.containsKey(signal.signal())) {
        takeSignal(i, signal.signal());
        again = true;
      } else if (signal.timeout().isPresent()) {
        submit.add(timer(step));
        steps[i] = step.with(new Wait(sight.now() + signal.timeout().get().toMillis()));
      }
    } else {
      UUID child = sight.runIds().get();
      steps[i] = step.with(new Child(child));
      createRuns.put(i, child);
    }
  }

  /** Begins a step over a list, if it is known how long that is. */
  private void open(int i) {
    Integer size = sight.findings().sizes().get(i);
    String problem = sight.findings().unsized().get(i);
    if (steps[i].items().isPresent()) {
      steps[i] = steps[i].with(StepState.RUNNING);
    } else if (problem != null) {
      fail(i, problem);
    } else if (size == null) {
      unsized.add(i);
    } else if (size == 0) {
      succeed(i, Items.of(0));
      again = true;
    } else {
      steps[i] = steps[i].with(StepState.RUNNING).with(Items.of(size));
    }
  }

  private void startItems(int i, int cap, int turn) {
    StepProgress step = steps[i];
    Items items = step.items().orElseThrow();
    if (isStopped(i, items)) {
      return;
    }
    int left = items.again().size() + items.size() - items.begun();
    int room = Math.max(0, Math.min(left, Math.min(cap - inFlight, turn - started)));
    deferred += left - room;
    again |= left > room && started + room >= turn && inFlight + room < cap;
    if (room == 0) {
      return;
    }
    int[] repeated = items.again().stream().limit(room).toArray();
    int fresh = room - repeated.length;
    int[] next = IntStream.range(items.begun(), items.begun() + fresh).toArray();
    Items begun = items.started(IntSet.of(repeated).plus(IntSet.of(next)), fresh);
    started += room;
    List<Integer> faulty = new ArrayList<>();
    Optional<String> error = step.error();
    for (int item : IntStream.concat(Arrays.stream(repeated), Arrays.stream(next)).toArray()) {
      StepJobId job = itemJob(step, begun, item);
      String fault = sight.findings().faults().get(job);
      if (fault == null) {
        submit.add(job);
        inFlight++;
      } else {
        faulty.add(item);
        error = error.or(() -> Optional.of("element " + item + ": " + fault));
      }
    }
    again |= !faulty.isEmpty();
    steps[i] =
        new StepProgress(
            step.number(),
            StepState.RUNNING,
            step.attempt(),
            0,
            error,
            begun.ended(IntSet.EMPTY, set(faulty)));
  }

  // What follows for the run

  private void conclude() {
    if (state == RunState.PAUSED || !unsized.isEmpty()) {
      return;
    }
    if (Arrays.stream(steps).allMatch(step -> step.state().finished())) {
      again = false;
      if (sight.findings().noOutput().isPresent()) {
        state = state.to(RunState.FAILED);
        message = sight.findings().noOutput();
        return;
      }
      if (graph.definition().output().isPresent() && sight.findings().output().isEmpty()) {
        needsOutput = true;
        return;
      }
      output = sight.findings().output();
      state = state.to(RunState.SUCCEEDED);
      message = Optional.empty();
      return;
    }
    boolean signal = false;
    boolean other = inFlight > 0 || again || before.caps().maxConcurrentSteps().orElse(1) == 0;
    for (int i = 0; i < steps.length; i++) {
      if (steps[i].state() == StepState.RUNNING) {
        boolean waits = graph.step(i).work() instanceof StepWork.Signal;
        signal |= waits;
        other |= !waits;
      }
    }
    state = state.to(signal && !other ? RunState.WAITING_SIGNAL : RunState.RUNNING);
  }

  private void windDown() {
    if (ending == Ending.COMPENSATE) {
      state = state.to(RunState.COMPENSATING);
    } else if (state == RunState.PENDING) {
      state = state.to(RunState.RUNNING);
    }
    if (Arrays.stream(steps).anyMatch(step -> step.state() == StepState.RUNNING)) {
      return;
    }
    again = false;
    StepState left = ending == Ending.CANCEL ? StepState.CANCELLED : StepState.SKIPPED;
    for (int i = 0; i < steps.length; i++) {
      if (steps[i].state() == StepState.PENDING) {
        steps[i] = steps[i].with(left);
      }
    }
    switch (ending) {
      case FAIL -> state = state.to(RunState.FAILED);
      case CANCEL -> state = state.to(RunState.CANCELLED);
      default -> undoNext();
    }
  }

  /** The index of the step that is undone next, latest first. */
  private Optional<Integer> undoing() {
    return IntStream.range(0, steps.length)
        .boxed()
        .filter(i -> steps[i].state() == StepState.SUCCEEDED && steps[i].order() > 0)
        .sorted(Comparator.comparingInt(i -> -steps[i].order()))
        .skip(undo.done())
        .findFirst();
  }

  /** One after the other, each when the one before has ended; whatever the cap says. */
  private void undoNext() {
    Optional<Integer> next = undoing();
    if (undo.running() && next.isPresent()) {
      StepJobId job = undoJob(next.get());
      JobStanding standing = sight.jobs().get(job.id());
      String fault = sight.findings().faults().get(job);
      if (standing == null && fault != null) {
        standing = faulty(fault);
      }
      if (standing == null) {
        submit.add(job);
        return;
      } else if (standing.ended().isEmpty()) {
        return;
      }
      List<String> failures = new ArrayList<>(undo.failures());
      if (standing.ended().get() != JobState.SUCCEEDED) {
        failures.add("step '%s': %s".formatted(graph.step(next.get()).name(), why(standing)));
      }
      undo = new Undo(undo.done() + 1, false, List.copyOf(failures));
      next = undoing();
    }
    if (next.isPresent()) {
      undo = new Undo(undo.done(), true, undo.failures());
      submit.add(undoJob(next.get()));
      return;
    }
    state = state.to(RunState.FAILED);
    if (!undo.failures().isEmpty()) {
      message =
          Optional.of(message.orElse("") + "; not undone: " + String.join("; ", undo.failures()));
    }
  }
}
