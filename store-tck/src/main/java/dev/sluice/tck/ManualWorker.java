package dev.sluice.tck;

import dev.sluice.spi.ClaimedJob;
import dev.sluice.spi.Exchange;
import dev.sluice.spi.Exchange.Answer;
import dev.sluice.spi.Exchange.Demand;
import dev.sluice.spi.Exchange.TaskDemand;
import dev.sluice.spi.HeldSlot;
import dev.sluice.spi.JobOutcome;
import dev.sluice.spi.JobOutcome.Verdict;
import dev.sluice.spi.Standing;
import dev.sluice.spi.WorkerSession;
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
import java.util.concurrent.locks.LockSupport;

/**
 * A worker moved by hand: it talks to the store exactly when the test says so, runs nothing, and
 * never renews by itself. It keeps the worker's side of the bargain: each job that ends gives back
 * one slot of each of its groups, and after a limit has changed it reconciles before it claims.
 * Used by one thread.
 */
final class ManualWorker implements AutoCloseable {
  private static final Verdict SUCCEEDED = new JobOutcome.Succeeded(Optional.empty());

  private static final int MAX_ROUNDS = 1_000;

  /** A store that has jobs locked by other claims has a worker look again within this time. */
  private static final Duration SOON = Duration.ofMillis(100);

  private final WorkerSession session;
  private final Map<UUID, ClaimedJob> jobs = new LinkedHashMap<>();
  private final Map<UUID, Standing.Held> held = new HashMap<>();
  private final Map<String, List<HeldSlot>> slots = new HashMap<>();

  ManualWorker(WorkerSession session) {
    this.session = session;
  }

  WorkerSession session() {
    return session;
  }

  String id() {
    return session.workerId();
  }

  /** The slots it holds of a group: those it was lent, and those that its jobs name. */
  List<HeldSlot> slots(String group) {
    Map<Integer, HeldSlot> all = new LinkedHashMap<>();
    slots.getOrDefault(group, List.of()).forEach(slot -> all.put(slot.slot(), slot));
    held.forEach(
        (job, has) ->
            has.named().stream()
                .filter(slot -> slot.group().equals(group))
                .forEach(
                    slot ->
                        all.put(
                            slot.slot(), new HeldSlot(group, slot.slot(), jobs.get(job).token()))));
    return List.copyOf(all.values());
  }

  /** The jobs it has, in the order it claimed them. */
  List<ClaimedJob> running() {
    return List.copyOf(jobs.values());
  }

  /** Claims up to {@code room} jobs of a task, all of which start at once. */
  List<ClaimedJob> claim(String task, int room) {
    return claim(room, new TaskDemand(task, room, 0));
  }

  /**
   * Claims up to {@code jobs} jobs of several tasks; asks again for the rest as long as the store
   * says that there is something at once or soon, as a worker does.
   */
  List<ClaimedJob> claim(int jobs, TaskDemand... demands) {
    return look(jobs, demands).jobs();
  }

  /**
   * What looking for jobs brought.
   *
   * @param jobs the jobs claimed
   * @param full the groups of which the store said that they kept jobs from this worker
   */
  record Look(List<ClaimedJob> jobs, Set<String> full) {}

  /** Claims as {@link #claim(String, int)} does, and listens to what the store says about it. */
  Look look(String task, int room) {
    return look(room, new TaskDemand(task, room, 0));
  }

  private Look look(int jobs, TaskDemand... demands) {
    List<ClaimedJob> claimed = new ArrayList<>();
    Set<String> full = new HashSet<>();
    for (int round = 0; round < MAX_ROUNDS; round++) {
      Answer answer =
          exchange(List.of(), Set.of(), List.of(), remaining(jobs, List.of(demands), claimed));
      claimed.addAll(answer.jobs());
      full.addAll(answer.full());
      Duration next = answer.nextDue().orElse(Duration.ofDays(1));
      if (claimed.size() >= jobs || next.compareTo(SOON) > 0) {
        return new Look(claimed, full);
      }
      LockSupport.parkNanos(Math.max(next.toNanos(), Duration.ofMillis(1).toNanos()));
    }
    throw new AssertionError("the store kept saying that there is more to find, " + claimed);
  }

  private static Demand remaining(int jobs, List<TaskDemand> demands, List<ClaimedJob> claimed) {
    List<TaskDemand> left = new ArrayList<>();
    for (TaskDemand demand : demands) {
      long got = claimed.stream().filter(job -> job.task().equals(demand.task())).count();
      if (demand.room() > got) {
        left.add(
            new TaskDemand(demand.task(), Math.toIntExact(demand.room() - got), demand.depth()));
      }
    }
    return left.isEmpty() ? Demand.NONE : new Demand(jobs - claimed.size(), left, Map.of());
  }

  /** Claims until there is nothing more to be had, whatever a single round trip brings. */
  List<ClaimedJob> claimAll(String task, int room) {
    List<ClaimedJob> all = new ArrayList<>();
    for (List<ClaimedJob> some = claim(task, room);
        !some.isEmpty();
        some = claim(task, room - all.size())) {
      all.addAll(some);
      if (all.size() >= room) {
        break;
      }
    }
    return all;
  }

  /** Reports success; whether the store accepted it. */
  boolean succeed(ClaimedJob job) {
    return report(job, SUCCEEDED);
  }

  /** Reports success of all; those the store accepted. */
  Set<UUID> succeedAll(Collection<ClaimedJob> jobs) {
    return reportAll(jobs, SUCCEEDED);
  }

  /** Reports how a job ended; whether the store accepted it. */
  boolean report(ClaimedJob job, Verdict verdict) {
    return reportAll(List.of(job), verdict).contains(job.id());
  }

  Set<UUID> reportAll(Collection<ClaimedJob> ended, Verdict verdict) {
    return reportAll(ended, verdict, Duration.ofMillis(1));
  }

  /** Reports what became of a job whose handler never started. */
  boolean reportUnstarted(ClaimedJob job, Verdict verdict) {
    return reportAll(List.of(job), verdict, Duration.ZERO).contains(job.id());
  }

  private Set<UUID> reportAll(Collection<ClaimedJob> ended, Verdict verdict, Duration ran) {
    List<JobOutcome> outcomes = new ArrayList<>();
    for (ClaimedJob job : ended) {
      outcomes.add(new JobOutcome(job.id(), job.token(), verdict, ran));
      jobs.remove(job.id());
      held.remove(job.id());
    }
    List<HeldSlot> released = new ArrayList<>();
    slots.forEach(
        (gate, lent) -> {
          while (lent.size() > running(gate)) {
            released.add(lent.remove(lent.size() - 1));
          }
        });
    return exchange(outcomes, Set.of(), released, Demand.NONE).accepted();
  }

  private long running(String gate) {
    return held.values().stream().filter(job -> job.gates().contains(gate)).count();
  }

  /** Reports success and asks for another job under the same slots, in one exchange. */
  List<ClaimedJob> goOn(ClaimedJob job) {
    jobs.remove(job.id());
    held.remove(job.id());
    Map<String, Integer> spare = new HashMap<>();
    job.gates().forEach(gate -> spare.put(gate, 1));
    JobOutcome outcome = new JobOutcome(job.id(), job.token(), SUCCEEDED, Duration.ofMillis(1));
    Demand demand = new Demand(1, List.of(new TaskDemand(job.task(), 1, 0)), spare);
    return exchange(List.of(outcome), Set.of(), List.of(), demand).jobs();
  }

  /** Gives back the slots that no job needs. */
  void releaseIdle() {
    reportAll(List.of(), SUCCEEDED);
  }

  /** Says that handlers of buffered jobs have started. */
  void started(ClaimedJob... jobs) {
    Set<UUID> ids = new HashSet<>();
    for (ClaimedJob job : jobs) {
      ids.add(job.id());
    }
    exchange(List.of(), ids, List.of(), Demand.NONE);
  }

  /** Hears of changed limits, as a worker does that is woken. */
  Standing reconcile() {
    return reconcile(jobs.values());
  }

  Standing reconcile(Collection<ClaimedJob> known) {
    Map<UUID, Long> claims = new HashMap<>();
    known.forEach(job -> claims.put(job.id(), job.token()));
    Standing standing = session.reconcile(claims);
    jobs.keySet().retainAll(standing.jobs().keySet());
    held.clear();
    held.putAll(standing.jobs());
    slots.clear();
    standing.slots().forEach(this::hold);
    return standing;
  }

  private void hold(HeldSlot slot) {
    slots.computeIfAbsent(slot.group(), g -> new ArrayList<>()).add(slot);
  }

  /**
   * One exchange; where the store answers that limits have changed, the worker reconciles and asks
   * again.
   */
  private Answer exchange(
      List<JobOutcome> outcomes, Set<UUID> started, List<HeldSlot> released, Demand demand) {
    Answer answer = session.exchange(new Exchange(outcomes, started, Map.of(), released, demand));
    Set<UUID> accepted = new HashSet<>(answer.accepted());
    Set<UUID> cancelled = new HashSet<>(answer.cancelled());
    while (answer.stale()) {
      reconcile();
      answer = session.exchange(new Exchange(List.of(), Set.of(), Map.of(), List.of(), demand));
      accepted.addAll(answer.accepted());
      cancelled.addAll(answer.cancelled());
    }
    for (ClaimedJob job : answer.jobs()) {
      jobs.put(job.id(), job);
      held.put(job.id(), job.bond().held());
    }
    answer.slots().forEach(this::hold);
    return new Answer(
        accepted,
        cancelled,
        answer.deferred(),
        answer.jobs(),
        answer.slots(),
        false,
        answer.nextDue(),
        answer.full());
  }

  /** One exchange as it is, for tests of the exchange itself. */
  Answer exchangeRaw(Exchange exchange) {
    return session.exchange(exchange);
  }

  @Override
  public void close() {
    session.close();
  }
}
