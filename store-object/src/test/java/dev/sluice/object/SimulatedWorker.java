package dev.sluice.object;

import dev.sluice.Group;
import dev.sluice.LeaseLostException;
import dev.sluice.SluiceException;
import dev.sluice.spi.ClaimedJob;
import dev.sluice.spi.Exchange;
import dev.sluice.spi.Exchange.Answer;
import dev.sluice.spi.Exchange.Demand;
import dev.sluice.spi.Exchange.TaskDemand;
import dev.sluice.spi.HeldSlot;
import dev.sluice.spi.JobOutcome;
import dev.sluice.spi.Standing;
import dev.sluice.spi.WorkerRegistration;
import dev.sluice.spi.WorkerSession;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/**
 * The worker of a {@link SimulatedProcess}: claims, runs, reports and renews, and keeps the
 * worker's side of the bargain of {@link WorkerSession}. It runs no more jobs of a limited group
 * than it holds slots of it, starts nothing in a group that drains, and asks anew whenever it
 * cannot be sure what it holds.
 */
final class SimulatedWorker {
  private final SimulatedProcess process;
  private final Simulation simulation;
  private final RandomGenerator random;
  private final int depth;
  private final int haste;
  private final Map<UUID, ClaimedJob> running = new LinkedHashMap<>();
  private final Map<UUID, ClaimedJob> buffer = new LinkedHashMap<>();
  private final Map<UUID, JobOutcome> ended = new LinkedHashMap<>();
  private final Map<UUID, List<String>> gates = new LinkedHashMap<>();
  private final Set<UUID> started = new TreeSet<>();
  private final Set<UUID> unwanted = new TreeSet<>();
  private final List<HeldSlot> slots = new ArrayList<>();
  private final Set<String> draining = new HashSet<>();
  private WorkerSession session;
  private long leaseEnds;
  private boolean unsure;

  SimulatedWorker(SimulatedProcess process) {
    this.process = process;
    this.simulation = process.simulation();
    this.random = simulation.random();
    this.depth = !simulation.isCrowded() && random.nextInt(3) == 0 ? 1 : 0;
    this.haste = simulation.isCrowded() ? 8 : 2 + random.nextInt(5);
  }

  /** The jobs that run here, under a lease that holds by this process's own clock. */
  Iterable<ClaimedJob> running() {
    return session == null || process.isDead() || !leaseHolds() ? List.of() : running.values();
  }

  private boolean leaseHolds() {
    return process.clock().getAsLong() - leaseEnds < 0;
  }

  /** Works until the process stops. */
  void live() {
    while (!process.isStopping()) {
      if (attempt(this::step)) {
        simulation.threads().sleep(random.nextLong(300_000_000));
      }
    }
    signOff();
  }

  /** Shows that the worker lives, beside everything else. */
  void beat() {
    while (!process.isStopping()) {
      long lease = Simulation.LEASE.toNanos();
      // Most are in time, some just so, some too late.
      simulation
          .threads()
          .sleep(lease / 6 + random.nextLong(random.nextInt(3) == 0 ? lease : lease / 3));
      if (session != null) {
        try {
          renew();
        } catch (LeaseLostException e) {
          forget();
        } catch (SluiceException e) {
          note(() -> "renewal failed: " + e.getMessage());
        }
      }
    }
  }

  private void note(Supplier<String> what) {
    simulation.note(
        () ->
            "        worker %s of %d: %s"
                .formatted(
                    session == null ? "-" : Narration.id(session.workerId()),
                    process.number(),
                    what.get()));
  }

  /** Does something; whether it went well. */
  boolean attempt(Runnable something) {
    WorkerSession before = session;
    try {
      something.run();
      return true;
    } catch (LeaseLostException e) {
      note(() -> "has lost its lease: " + e.getMessage());
      if (session == before) {
        forget();
      }
    } catch (SluiceException e) {
      note(() -> "is unsure: " + e.getMessage());
      unsure = session != null;
    }
    return false;
  }

  /** Whether it has a session and is sure of what it holds. */
  boolean isReady() {
    return session != null && !unsure;
  }

  /** The next thing that is to be done. */
  void step() {
    if (session == null) {
      signOn(simulation.isCrowded() ? 1 : 2 + random.nextInt(3) / 2 - random.nextInt(3) / 2);
    } else if (unsure) {
      reconcile();
    } else {
      endSome();
      exchange(random.nextInt(5));
    }
  }

  private void forget() {
    note(() -> "forgets what it held: " + held());
    session = null;
    unsure = false;
    running.clear();
    buffer.clear();
    ended.clear();
    gates.clear();
    started.clear();
    unwanted.clear();
    slots.clear();
    draining.clear();
  }

  /** Begins a session, with this limit on mail in its code. */
  void signOn(int limit) {
    long sent = process.clock().getAsLong();
    process.draws().distinct(2);
    WorkerSession opened =
        process
            .flaw()
            .decorate(
                process
                    .store()
                    .openSession(
                        new WorkerRegistration(
                            "simulated",
                            Set.of(SimulatedJobs.QUEUE),
                            new TreeSet<>(Set.of(SimulatedJobs.MAIL, SimulatedJobs.REPORT)),
                            Map.of(Group.of(SimulatedJobs.MAIL), limit),
                            Simulation.LEASE)),
                simulation);
    leaseEnds = sent + Simulation.LEASE.toNanos();
    session = opened;
    note(() -> "signs on with a limit of " + limit);
  }

  /** What it could take on, under the slots that it keeps and new ones. */
  private Demand demand(int jobs) {
    if (jobs == 0) {
      return Demand.NONE;
    }
    Map<String, Integer> spare = new TreeMap<>();
    for (HeldSlot slot : slots) {
      if (!draining.contains(slot.group())) {
        spare.merge(slot.group(), 1 + depth, Integer::sum);
      }
    }
    List<ClaimedJob> all = new ArrayList<>(running.values());
    all.addAll(buffer.values());
    all.forEach(
        job ->
            gates
                .get(job.id())
                .forEach(gate -> spare.computeIfPresent(gate, (g, n) -> Math.max(0, n - 1))));
    return new Demand(
        jobs,
        List.of(
            new TaskDemand(SimulatedJobs.MAIL, jobs, depth),
            new TaskDemand(SimulatedJobs.REPORT, jobs, depth)),
        spare);
  }

  /** Some handlers come to an end. */
  private void endSome() {
    for (ClaimedJob job : List.copyOf(running.values())) {
      if (unwanted.contains(job.id())) {
        end(job, new JobOutcome.Cancelled());
      } else if (random.nextInt(haste) == 0) {
        end(job, verdict());
      }
    }
  }

  private JobOutcome.Verdict verdict() {
    JobOutcome.Failure failure = new JobOutcome.Failure("Boom", "", "");
    return switch (random.nextInt(12)) {
      case 0 -> new JobOutcome.Failed(failure);
      case 1, 2 -> new JobOutcome.Retry(failure, Duration.ofMillis(random.nextInt(2) * 400L));
      case 3 -> new JobOutcome.HandedBack();
      case 4 -> new JobOutcome.Snoozed(Duration.ofMillis(200));
      default -> new JobOutcome.Succeeded(Optional.empty());
    };
  }

  /** A handler ends, or a job that never started goes back. */
  private void end(ClaimedJob job, JobOutcome.Verdict verdict) {
    boolean ran = running.remove(job.id()) != null;
    buffer.remove(job.id());
    ended.put(
        job.id(),
        new JobOutcome(job.id(), job.token(), verdict, ran ? Duration.ofMillis(1) : Duration.ZERO));
  }

  /** Ends everything that runs well, and asks for more; how many jobs that brought. */
  int workOff() {
    if (unsure) {
      reconcile();
    }
    startSome();
    List.copyOf(running.values())
        .forEach(job -> end(job, new JobOutcome.Succeeded(Optional.empty())));
    return exchange(12);
  }

  /** The first job that runs ends like this, if there is one. */
  void endFirst(JobOutcome.Verdict verdict) {
    running.values().stream().findFirst().ifPresent(job -> end(job, verdict));
  }

  /** Whether there is nothing left to run or to report. */
  boolean isIdle() {
    return running.isEmpty() && buffer.isEmpty() && ended.isEmpty() && !unsure;
  }

  /** One exchange that asks for so many jobs; how many it brought. */
  int exchange(int wanted) {
    for (ClaimedJob job : List.copyOf(buffer.values())) {
      if (gates.get(job.id()).stream().anyMatch(draining::contains)) {
        end(job, new JobOutcome.HandedBack());
      }
    }
    WorkerSession with = session;
    simulation.ledger().checkKnown(with.workerId(), claims());
    List<JobOutcome> outcomes = List.copyOf(ended.values());
    List<HeldSlot> idle = takeIdleSlots();
    Exchange exchange =
        new Exchange(outcomes, new TreeSet<>(started), Map.of(), idle, demand(wanted));
    note(() -> Narration.of(exchange) + "; " + held());
    Answer answer = with.exchange(exchange);
    note(() -> "is answered: " + Narration.of(answer));
    if (session != with) {
      return 0;
    }
    outcomes.forEach(outcome -> ended.remove(outcome.id()));
    started.removeAll(exchange.started());
    if (!outcomes.stream().allMatch(outcome -> answer.accepted().contains(outcome.id()))) {
      // Refused under a lease that lasts: the two disagree on what the worker holds.
      unsure = true;
    }
    if (answer.stale()) {
      unsure = true;
      return 0;
    }
    slots.addAll(answer.slots());
    // Who is given another slot of a group knows that it does not drain any more.
    answer.slots().forEach(slot -> draining.remove(slot.group()));
    for (ClaimedJob job : answer.jobs()) {
      gates.put(job.id(), job.gates());
      buffer.put(job.id(), job);
      List<Group> declared = simulation.jobs().declaredFor(job.id());
      if (!declared.stream().allMatch(group -> job.bond().has(group.toString()))) {
        end(job, new JobOutcome.Refiled(declared));
      }
    }
    startSome();
    return answer.jobs().size();
  }

  /** What it believes to hold, in short. */
  private String held() {
    Map<UUID, Long> ran = new HashMap<>();
    running.values().forEach(job -> ran.put(job.id(), job.token()));
    return "runs %s, knows %s, holds %s"
        .formatted(Narration.of(ran), Narration.of(claims()), Narration.slots(slots));
  }

  private Map<UUID, Long> claims() {
    Map<UUID, Long> claims = new HashMap<>();
    running.values().forEach(job -> claims.put(job.id(), job.token()));
    buffer.values().forEach(job -> claims.put(job.id(), job.token()));
    ended.values().forEach(outcome -> claims.put(outcome.id(), outcome.token()));
    return claims;
  }

  /** Starts what it has slots for, if its lease still holds. */
  private void startSome() {
    for (ClaimedJob job : List.copyOf(buffer.values())) {
      boolean free =
          gates.get(job.id()).stream()
              .allMatch(gate -> !draining.contains(gate) && runningIn(gate) < slotsOf(gate).size());
      if (free && leaseHolds()) {
        buffer.remove(job.id());
        running.put(job.id(), job);
        if (!job.run().counted()) {
          started.add(job.id());
        }
        simulation.ledger().changed();
      }
    }
  }

  private long runningIn(String group) {
    return running.keySet().stream().filter(id -> gates.get(id).contains(group)).count();
  }

  private List<HeldSlot> slotsOf(String group) {
    return slots.stream().filter(slot -> slot.group().equals(group)).toList();
  }

  /** Slots that no job needs, which are not held any more from now on. */
  private List<HeldSlot> takeIdleSlots() {
    List<HeldSlot> idle = new ArrayList<>();
    Map<String, Integer> needed = new TreeMap<>();
    running.keySet().forEach(id -> gates.get(id).forEach(g -> needed.merge(g, 1, Integer::sum)));
    buffer.keySet().forEach(id -> gates.get(id).forEach(g -> needed.merge(g, 1, Integer::sum)));
    for (HeldSlot slot : List.copyOf(slots)) {
      boolean kept = !draining.contains(slot.group()) && random.nextInt(3) == 0;
      if (needed.merge(slot.group(), -1, Integer::sum) < 0 && !kept) {
        idle.add(slot);
        slots.remove(slot);
      }
    }
    return idle;
  }

  /** Agrees anew with the store on what it holds. */
  void reconcile() {
    WorkerSession with = session;
    note(() -> "reconciles; " + held());
    Standing standing = with.reconcile(claims());
    note(() -> "is answered: " + Narration.of(standing));
    if (session != with) {
      return;
    }
    for (Map<UUID, ?> jobs : List.of(running, buffer, ended)) {
      jobs.keySet().retainAll(standing.jobs().keySet());
    }
    standing.jobs().forEach((id, held) -> gates.put(id, held.gates()));
    slots.clear();
    slots.addAll(standing.slots());
    draining.clear();
    draining.addAll(standing.draining());
    unsure = false;
    startSome();
  }

  /** Extends the lease. */
  void renew() {
    WorkerSession with = session;
    long sent = process.clock().getAsLong();
    Duration length = random.nextInt(8) == 0 ? Simulation.LEASE.multipliedBy(2) : Simulation.LEASE;
    Set<UUID> stop = with.renew(length);
    note(() -> "has renewed its lease for " + length);
    if (session == with) {
      leaseEnds = Math.max(leaseEnds, sent + length.toNanos());
      unwanted.addAll(stop);
      simulation.ledger().changed();
    }
  }

  /** Signs off. */
  void signOff() {
    WorkerSession ending = session;
    if (ending != null) {
      // Nothing may run any more when what it holds is given back.
      forget();
      ending.close();
    }
  }
}
