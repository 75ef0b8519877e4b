package dev.sluice.workflow.internal;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.InvalidRequestException;
import dev.sluice.SluiceException;
import dev.sluice.spi.JobStanding;
import dev.sluice.spi.JobStore;
import dev.sluice.spi.NewJob;
import dev.sluice.spi.TasksByName;
import dev.sluice.workflow.StepWork;
import dev.sluice.workflow.WorkflowDefinition;
import dev.sluice.workflow.tick.Plan;
import dev.sluice.workflow.tick.RunProgress;
import dev.sluice.workflow.tick.Sight;
import dev.sluice.workflow.tick.Sight.ChildSight;
import dev.sluice.workflow.tick.StepJobId;
import dev.sluice.workflow.tick.StepJobId.Kind;
import dev.sluice.workflow.tick.Tick;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;

/**
 * Finds out what a tick should do, down to the last job, without doing any of it.
 *
 * <p>A plan may ask for more than was looked at: how long a list is, what the run yields. And what
 * it wants to submit may turn out to be impossible, because a payload is too large or a result is
 * gone; then the step has failed, and that is part of the plan too. So it is planned again with
 * what was found, until a plan is complete. Every round adds a finding about a step or a job, each
 * of which is asked about once.
 */
final class Decider {
  /** Results that are kept with the run itself have to be small. */
  private static final int LARGEST_OUTPUT = 64 << 10;

  /** As many as are submitted twice without anybody noticing. */
  private static final int FEW = 100;

  /** Up to so many jobs in flight, a look at all of them costs less than several at a part. */
  static final int LOOKED_AT_TOGETHER = 1_000;

  /** One in so many of the jobs in flight is much to have ended in one process. */
  static final int MUCH = 8;

  /** How long a tick may go by what was heard, after a look at every job in flight. */
  static final Duration FRESH = Duration.ofSeconds(1);

  private final JobStore store;
  private final RunReader reader;
  private final StepInputs inputs;
  private final StepJobs jobs;
  private final TasksByName tasks;
  private final RunIds ids;

  /** When this process first ticked a run, in milliseconds by the store's clock. */
  private final AtomicLong firstTick = new AtomicLong();

  Decider(JobStore store, RunReader reader, RunIds ids, int maxPayloadBytes) {
    this.store = store;
    this.reader = reader;
    this.inputs = new StepInputs(new StepResults(store));
    this.jobs = new StepJobs(maxPayloadBytes);
    this.tasks = new TasksByName(store.limits());
    this.ids = ids;
  }

  /**
   * A plan, and what it submits and begins, ready to go.
   *
   * @param plan the plan
   * @param jobs the jobs to submit
   * @param runs the runs to create, by id
   * @param look what was looked at
   */
  record Decision(Plan plan, List<NewJob> jobs, Map<UUID, Charter> runs, Look look) {}

  /**
   * What a tick looked at.
   *
   * @param jobs how many jobs
   * @param partial whether it took the others to be in flight without looking
   * @param healed whether it looked at all, and brings back every job that is missing
   */
  record Look(int jobs, boolean partial, boolean healed) {}

  /**
   * Decides.
   *
   * @param heard the jobs that were heard to have ended, if that is why the run is ticked. Such a
   *     tick may leave out jobs of which nothing was heard; they count as in flight. It submits
   *     only a few of the jobs that should be there and are not: the tick that started them is
   *     probably still at it. Empty = the tick looks at every job and brings back all
   * @param memory what ticks just before have seen and done
   */
  Decision decide(LoadedRun run, Optional<Set<UUID>> heard, Memory memory) {
    List<StepJobId> begun = Tick.watched(run.graph(), run.id(), run.progress());
    firstTick.compareAndSet(0, run.stored().readAt().toEpochMilli());
    boolean all = heard.isEmpty() || looksAtAll(run, begun.size(), heard.get().size());
    if (!all) {
      memory.assumeInFlight(begun, worthALook(run, heard.get()).negate());
    }
    List<UUID> unknown = memory.unknown(begun, all);
    memory.seen(store.jobs().standings(unknown, run.stored().createdAt()));
    Map<UUID, JobStanding> standings = memory.standings;
    Map<UUID, ChildSight> children = children(run);
    Found found = new Found();
    begun.forEach(job -> memory.refusal(job).ifPresent(why -> found.faults.put(job, why)));
    while (true) {
      Sight sight =
          new Sight(
              standings,
              children,
              found.findings(),
              run.stored().readAt().toEpochMilli(),
              ids::next);
      Plan plan = Tick.plan(run.graph(), run.id(), run.progress(), sight);
      // A step that ended just now has its result where the plan says, not where the run said.
      LoadedRun ahead = new LoadedRun(run.stored(), run.charter(), plan.next());
      StepInputs.Tick given = inputs.of(ahead);
      if (plan.needs().any()) {
        found.lookUp(plan.needs(), ahead, given);
        continue;
      }
      List<StepJobId> submit = heard.isPresent() ? fewOf(begun, plan.submit()) : plan.submit();
      Look look = new Look(unknown.size(), !all, all && submit.size() == plan.submit().size());
      Optional<Decision> decision = prepare(plan, submit, look, ahead, given, found);
      if (decision.isPresent()) {
        return decision.get();
      }
    }
  }

  /** Whether the run still counts one of these jobs as in flight, or a look at all is due. */
  boolean isNew(LoadedRun run, Set<UUID> ended) {
    return isDue(run)
        || Tick.watched(run.graph(), run.id(), run.progress()).stream()
            .anyMatch(job -> ended.contains(job.id()));
  }

  /**
   * Whether a tick that goes by what was heard has to look at every job in flight all the same: if
   * they are few, or so many ended here that others will have too; and if such a look is due.
   */
  private boolean looksAtAll(LoadedRun run, int inFlight, int heard) {
    return inFlight <= LOOKED_AT_TOGETHER || inFlight <= (long) heard * MUCH || isDue(run);
  }

  /**
   * Whether every job in flight is to be looked at: if the run is ending, since cancelled jobs end
   * unheard; and if no tick of any process has done so for a while, or none since this process
   * began.
   */
  private boolean isDue(LoadedRun run) {
    long now = run.stored().readAt().toEpochMilli();
    long full = run.progress().notes().looks().full();
    return run.progress().ending() != RunProgress.Ending.NONE
        || full < firstTick.get()
        || full > now
        || now - full >= FRESH.toMillis();
  }

  /** Jobs that were heard to have ended, and those of steps whose ends have an order. */
  private static Predicate<StepJobId> worthALook(LoadedRun run, Set<UUID> ended) {
    Set<Integer> ordered = new HashSet<>();
    for (int i = 0; i < run.progress().steps().size(); i++) {
      if (run.graph().step(i).policy().compensateWith().isPresent()) {
        ordered.add(run.step(i).number());
      }
    }
    return job ->
        ended.contains(job.id()) || (job.kind() == Kind.STEP && ordered.contains(job.step()));
  }

  private static List<StepJobId> fewOf(List<StepJobId> begun, List<StepJobId> submit) {
    if (submit.size() <= FEW) {
      return submit;
    }
    Set<StepJobId> before = new HashSet<>(begun);
    List<StepJobId> missing = submit.stream().filter(before::contains).toList();
    if (missing.size() <= FEW) {
      return submit;
    }
    Set<StepJobId> left = new HashSet<>(missing.subList(FEW, missing.size()));
    return submit.stream().filter(job -> !left.contains(job)).toList();
  }

  /** Empty if something cannot be submitted, which has been found then. */
  private Optional<Decision> prepare(
      Plan plan,
      List<StepJobId> submit,
      Look look,
      LoadedRun ahead,
      StepInputs.Tick given,
      Found found) {
    boolean possible = true;
    List<NewJob> ready = new ArrayList<>();
    for (StepJobId job : submit) {
      try {
        ready.add(tasks.filed(jobs.build(ahead, given, job)));
      } catch (InvalidRequestException e) {
        found.faults.put(job, e.getMessage());
        possible = false;
      }
    }
    Map<UUID, Charter> runs = new LinkedHashMap<>();
    for (Map.Entry<Integer, UUID> each : plan.children().create().entrySet()) {
      try {
        runs.put(each.getValue(), charter(ahead, given, each.getKey()));
      } catch (InvalidRequestException e) {
        found.obstacles.put(each.getKey(), e.getMessage());
        possible = false;
      }
    }
    return possible ? Optional.of(new Decision(plan, ready, runs, look)) : Optional.empty();
  }

  private static Charter charter(LoadedRun run, StepInputs.Tick given, int index) {
    String type = ((StepWork.Child) run.graph().step(index).work()).type();
    WorkflowDefinition definition =
        run.charter()
            .other(type)
            .orElseThrow(
                () ->
                    new SluiceException(
                        "The run %s has no definition of workflow '%s'."
                            .formatted(run.id(), type)));
    return run.charter().child(definition, given.payload(index, 0), run.id());
  }

  private Map<UUID, ChildSight> children(LoadedRun run) {
    Map<UUID, ChildSight> seen = new HashMap<>();
    for (UUID id : Tick.children(run.progress())) {
      reader
          .get(id)
          .ifPresent(
              child ->
                  seen.put(
                      id,
                      new ChildSight(
                          child.charter().parent().equals(Optional.of(run.id())),
                          child.progress().state(),
                          child.progress().notes().output(),
                          child.progress().message())));
    }
    return seen;
  }

  /**
   * What ticks of a run that follow each other at once need not look at again. A job that has ended
   * meanwhile counts as in flight until the next of them looks, which passes no cap.
   */
  static final class Memory {
    private final Map<UUID, JobStanding> standings = new HashMap<>();
    private final Map<UUID, String> refused = new HashMap<>();
    private boolean assumed;
    private long since = System.nanoTime();

    /** The jobs to look at. What was only assumed is not known to a tick that looks at all. */
    private List<UUID> unknown(Collection<StepJobId> jobs, boolean all) {
      if (isOld() || (all && assumed)) {
        clear();
      }
      return jobs.stream().map(StepJobId::id).filter(id -> !standings.containsKey(id)).toList();
    }

    private void assumeInFlight(Collection<StepJobId> jobs, Predicate<StepJobId> which) {
      if (isOld()) {
        clear();
      }
      jobs.stream()
          .filter(which)
          .forEach(job -> standings.putIfAbsent(job.id(), JobStanding.UNFINISHED));
      assumed = true;
    }

    private boolean isOld() {
      return System.nanoTime() - since > FRESH.toNanos();
    }

    private void seen(Map<UUID, JobStanding> more) {
      standings.putAll(more);
    }

    /** A job was submitted. */
    void submitted(UUID job) {
      standings.put(job, JobStanding.UNFINISHED);
    }

    /** The store refused a job; whether that is news. */
    boolean refused(UUID job, String why) {
      return refused.putIfAbsent(job, why) == null;
    }

    private Optional<String> refusal(StepJobId job) {
      return refused.isEmpty() ? Optional.empty() : Optional.ofNullable(refused.get(job.id()));
    }

    /** Things may have changed. */
    void clear() {
      standings.clear();
      assumed = false;
      since = System.nanoTime();
    }
  }

  /** What has been found so far. */
  private static final class Found {
    private final Map<Integer, Integer> sizes = new HashMap<>();
    private final Map<Integer, String> obstacles = new HashMap<>();
    private final Map<StepJobId, String> faults = new HashMap<>();
    private Optional<JsonNode> output = Optional.empty();
    private Optional<String> noOutput = Optional.empty();

    Sight.Findings findings() {
      return new Sight.Findings(sizes, obstacles, faults, output, noOutput);
    }

    void lookUp(Plan.Needs needs, LoadedRun run, StepInputs.Tick given) {
      for (int index : needs.sizes()) {
        try {
          sizes.put(index, given.list(index).size());
        } catch (InvalidRequestException e) {
          obstacles.put(index, e.getMessage());
        }
      }
      if (needs.output()) {
        try {
          output = Optional.of(outputOf(run, given));
        } catch (InvalidRequestException e) {
          noOutput = Optional.of(e.getMessage());
        }
      }
    }

    private static JsonNode outputOf(LoadedRun run, StepInputs.Tick given) {
      JsonNode output =
          given.resolve(run.charter().definition().output().orElseThrow(), Optional.empty());
      int length = output.toString().length();
      if (length > LARGEST_OUTPUT) {
        throw new InvalidRequestException(
            "its output has %,d characters; at most %,d are allowed. Let it refer to less"
                .formatted(length, LARGEST_OUTPUT));
      }
      return output;
    }
  }
}
