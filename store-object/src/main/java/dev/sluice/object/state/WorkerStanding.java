package dev.sluice.object.state;

import dev.sluice.object.state.Claiming.Claimant;
import dev.sluice.object.state.Ending.Recorded;
import dev.sluice.spi.Exchange;
import dev.sluice.spi.Exchange.Answer;
import dev.sluice.spi.HeldSlot;
import dev.sluice.spi.JobOutcome;
import dev.sluice.spi.Standing;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;

/** What a worker and the store tell each other, each as one step of a commit. */
public final class WorkerStanding {
  private WorkerStanding() {}

  /** Signs a worker on; the version of the limits it works by. */
  public static long register(ShardDraft draft, String worker, WorkerEntry entry) {
    draft.putWorker(worker, entry);
    LimitRules.syncDeclared(draft, entry.tasks());
    draft.putWorker(worker, entry.seeing(draft.rulesVersion()));
    return draft.rulesVersion();
  }

  /** Puts on record what a worker in good standing declares in code from now on. */
  public static void declare(ShardDraft draft, String worker, Map<String, Integer> limits) {
    WorkerEntry entry = draft.workers().get(worker).declaring(limits);
    draft.putWorker(worker, entry);
    LimitRules.syncDeclared(draft, entry.tasks());
  }

  /** Whether the worker is in good standing. */
  public static boolean isKnown(ShardDraft draft, String worker) {
    return draft.workers().containsKey(worker);
  }

  /** The workers in good standing. */
  public static Set<String> known(ShardDraft draft) {
    return new TreeSet<>(draft.workers().keySet());
  }

  /**
   * One exchange of a worker in good standing.
   *
   * @param claimant the worker
   * @param rulesSeen the version of the limits it works by
   */
  public static Answer exchange(
      ShardDraft draft, Claimant claimant, long rulesSeen, Exchange exchange) {
    String worker = claimant.worker();
    claimant.waits().restart();
    for (UUID id : exchange.started()) {
      RunningJob job = ownJob(draft, worker, id);
      if (job != null && !job.hasStarted()) {
        draft.update(id, job.started(draft.now()));
      }
    }
    exchange
        .progress()
        .forEach(
            (id, note) -> {
              RunningJob job = ownJob(draft, worker, id);
              if (job != null) {
                draft.update(id, job.withNote(note));
              }
            });
    Set<UUID> ended = new HashSet<>();
    Set<UUID> accepted = new HashSet<>();
    Set<UUID> cancelled = new HashSet<>();
    for (JobOutcome outcome : exchange.outcomes()) {
      ended.add(outcome.id());
      Recorded recorded = Ending.report(draft, worker, outcome);
      if (recorded != Recorded.TOO_LATE) {
        accepted.add(outcome.id());
      }
      if (recorded == Recorded.CANCELLED) {
        cancelled.add(outcome.id());
      }
    }
    for (HeldSlot slot : exchange.released()) {
      Slots.release(draft, worker, slot.group(), slot.slot(), slot.token());
      if (draft.asks().isWanted(slot.group(), draft.now())) {
        claimant.waits().freed();
      }
    }
    if (rulesSeen != draft.rulesVersion()) {
      SlotJobs.assign(draft, worker);
      return new Answer(
          accepted, cancelled, Set.of(), List.of(), List.of(), true, Optional.empty(), Set.of());
    }
    Claiming.Taken taken = Claiming.claim(draft, claimant, exchange.demand(), ended);
    SlotJobs.assign(draft, worker);
    Optional<Duration> nextDue = Optional.empty();
    if (taken.jobs().size() < exchange.demand().jobs()) {
      nextDue = taken.nextTime() ? Optional.of(Duration.ZERO) : timeToNextDue(draft);
      nextDue = sooner(nextDue, claimant.waits().lookIn());
    }
    return new Answer(
        accepted,
        cancelled,
        Set.of(),
        SlotJobs.tell(draft, taken.jobs()),
        taken.slots(),
        false,
        nextDue,
        taken.full());
  }

  private static Optional<Duration> sooner(Optional<Duration> due, long lookIn) {
    Duration look = Micros.toDuration(lookIn);
    return lookIn == 0 || due.filter(time -> time.compareTo(look) <= 0).isPresent()
        ? due
        : Optional.of(look);
  }

  private static Optional<Duration> timeToNextDue(ShardDraft draft) {
    OptionalLong due = JobCounts.nextDue(draft);
    return due.isPresent()
        ? Optional.of(Micros.toDuration(Math.max(0, due.getAsLong() - draft.now())))
        : Optional.empty();
  }

  private static RunningJob ownJob(ShardDraft draft, String worker, UUID id) {
    RunningJob job = draft.running().get(id);
    return job != null && job.claim().worker().equals(worker) ? job : null;
  }

  /** Agrees with a worker on what it holds. */
  public static Standing reconcile(ShardDraft draft, String worker, Map<UUID, Long> known) {
    draft.putWorker(worker, draft.workers().get(worker).seeing(draft.rulesVersion()));
    Ending.handBackUnknown(draft, worker, known);
    SlotJobs.assign(draft, worker);
    Map<UUID, Standing.Held> jobs = new HashMap<>();
    draft
        .running()
        .forEach(
            (id, job) -> {
              if (job.claim().worker().equals(worker)) {
                jobs.put(id, new Standing.Held(gates(draft, job)));
              }
            });
    List<HeldSlot> slots = new ArrayList<>();
    Set<String> draining = new HashSet<>();
    draft
        .slots()
        .forEach(
            (group, held) ->
                held.forEach(
                    (slot, holder) -> {
                      if (holder.isOf(worker)) {
                        slots.add(new HeldSlot(group, slot, holder.token()));
                        if (Slots.room(draft, group) < 0) {
                          draining.add(group);
                        }
                      }
                    }));
    return new Standing(jobs, slots, draining);
  }

  private static List<String> gates(ShardDraft draft, RunningJob job) {
    return draft.record(job.place()).allGroups().stream()
        .filter(group -> LimitRules.find(draft, group) != null)
        .toList();
  }

  /** The version of the limits. */
  public static long rulesVersion(ShardDraft draft) {
    return draft.rulesVersion();
  }

  /** The jobs of this worker that users asked to stop. */
  public static Set<UUID> unwanted(ShardDraft draft, String worker) {
    Set<UUID> unwanted = new HashSet<>();
    draft
        .running()
        .forEach(
            (id, job) -> {
              if (job.cancelRequested() && job.claim().worker().equals(worker)) {
                unwanted.add(id);
              }
            });
    return unwanted;
  }
}
