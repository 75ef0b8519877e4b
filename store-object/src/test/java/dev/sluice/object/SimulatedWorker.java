package dev.sluice.object;

import dev.sluice.Group;
import dev.sluice.InvalidRequestException;
import dev.sluice.JobQuery;
import dev.sluice.LeaseLostException;
import dev.sluice.SluiceException;
import dev.sluice.Submission;
import dev.sluice.spi.ClaimedJob;
import dev.sluice.spi.Exchange;
import dev.sluice.spi.Exchange.Answer;
import dev.sluice.spi.Exchange.Demand;
import dev.sluice.spi.Exchange.TaskDemand;
import dev.sluice.spi.HeldSlot;
import dev.sluice.spi.JobOutcome;
import dev.sluice.spi.NewJob;
import dev.sluice.spi.Standing;
import dev.sluice.spi.WorkerRegistration;
import dev.sluice.spi.WorkerSession;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Semaphore;
import java.util.random.RandomGenerator;

/**
 * A process of a {@link Simulation}: submits, claims, runs, reports, renews, recovers and dies at
 * random, and keeps the worker's side of the bargain.
 */
final class SimulatedWorker {
  private static final List<TaskDemand> DEMAND =
      List.of(new TaskDemand(Simulation.LIMITED, 3, 0), new TaskDemand("free", 3, 0));

  private final Simulation simulation;
  private final Random random;
  private final int number;
  private final Semaphore turn = new Semaphore(0);
  private final Map<UUID, ClaimedJob> running = new HashMap<>();
  private final Map<UUID, ClaimedJob> ended = new HashMap<>();
  private final List<HeldSlot> slots = new ArrayList<>();
  private SimulatedBucket.Line line;
  private ObjectJobStore store;
  private WorkerSession session;
  private long leaseEnds;
  private boolean unsure;
  private volatile boolean done;
  private volatile boolean abandoned;

  SimulatedWorker(Simulation simulation, int number) {
    this.simulation = simulation;
    this.random = simulation.random();
    this.number = number;
  }

  Semaphore turn() {
    return turn;
  }

  boolean isDone() {
    return done;
  }

  boolean isAbandoned() {
    return abandoned;
  }

  /** How many jobs of the limited task run here under a lease that holds by this worker's clock. */
  int runningLimited() {
    if (session == null || simulation.nanoTime() >= leaseEnds) {
      return 0;
    }
    return (int)
        running.values().stream().filter(job -> job.task().equals(Simulation.LIMITED)).count();
  }

  void start() {
    begin(this::live);
  }

  void startAsHeir() {
    begin(this::inherit);
  }

  private void begin(Runnable life) {
    Thread thread =
        new Thread(
            () -> {
              turn.acquireUninterruptibly();
              try {
                life.run();
              } catch (RuntimeException | Error e) {
                if (!abandoned) {
                  simulation.violation("process " + number + " failed: " + stackOf(e));
                }
              } finally {
                done = true;
                running.clear();
                simulation.ended();
              }
            },
            "simulated-" + number);
    thread.setDaemon(true);
    thread.start();
  }

  private static String stackOf(Throwable e) {
    return e
        + " at "
        + List.of(e.getStackTrace()).subList(0, Math.min(8, e.getStackTrace().length))
        + (e.getCause() == null ? "" : " caused by " + stackOf(e.getCause()));
  }

  /** Lets the thread end, whatever it was doing. */
  void abandon() {
    abandoned = true;
    turn.release();
  }

  private void live() {
    while (!simulation.isOver()) {
      try {
        act();
      } catch (LeaseLostException e) {
        forgetSession();
      } catch (SluiceException e) {
        unsure = session != null;
      } catch (RuntimeException | Error e) {
        if (abandoned || line == null || !line.isDead()) {
          throw e;
        }
        store = null;
        forgetSession();
      }
    }
  }

  private void forgetSession() {
    session = null;
    running.clear();
    ended.clear();
    slots.clear();
    unsure = false;
  }

  private void act() {
    if (store == null) {
      open();
    } else if (session == null) {
      signOn();
    } else if (unsure) {
      reconcile();
    } else {
      switch (random.nextInt(10)) {
        case 0, 1 -> submit();
        case 2, 3, 4 -> exchange(new Demand(4, DEMAND, Map.of()));
        case 5, 6 -> {
          finishSome();
          exchange(random.nextBoolean() ? Demand.NONE : new Demand(4, DEMAND, Map.of()));
        }
        case 7 -> renew();
        case 8 -> store.recover();
        default -> simulation.pass(Duration.ofMillis(random.nextInt(300)));
      }
    }
  }

  private void open() {
    line = simulation.bucket().new Line();
    boolean hasty = simulation.flaw() == Simulation.Flaw.HASTY_OBSERVERS;
    StoreEnvironment environment =
        new StoreEnvironment(
            () -> hasty ? simulation.nanoTime() * 20 : simulation.nanoTime(),
            simulation.flaw() == Simulation.Flaw.SAME_NONCE ? new Constant() : random,
            nanos -> simulation.pass(Duration.ofNanos(nanos)),
            Runnable::run,
            Runnable::run,
            Runnable::run);
    StoreFormat.agree(line, environment, OptionalInt.empty());
    store = ObjectJobStore.open(line, 0, environment, () -> {});
  }

  /** Always the same number. */
  private final class Constant implements RandomGenerator {
    @Override
    public long nextLong() {
      // Ids of workers must differ all the same.
      return StackWalker.getInstance()
              .walk(frames -> frames.anyMatch(f -> f.getMethodName().equals("nonce")))
          ? 7
          : random.nextLong();
    }
  }

  private void signOn() {
    long sent = simulation.nanoTime();
    session =
        store.openSession(
            new WorkerRegistration(
                "simulated",
                Set.of("default"),
                Set.of(Simulation.LIMITED, "free"),
                Map.of(Group.of(Simulation.LIMITED), Simulation.LIMIT),
                Simulation.LEASE));
    leaseEnds = sent + Simulation.LEASE.toNanos();
  }

  private void submit() {
    List<NewJob> jobs = new ArrayList<>();
    for (int i = random.nextInt(3); i >= 0; i--) {
      jobs.add(simulation.newJob());
    }
    for (Submission submission : store.submit(jobs)) {
      simulation.acknowledged(submission.id());
    }
  }

  private void finishSome() {
    for (ClaimedJob job : List.copyOf(running.values())) {
      if (random.nextBoolean()) {
        running.remove(job.id());
        ended.put(job.id(), job);
      }
    }
  }

  private JobOutcome outcome(ClaimedJob job, boolean calm) {
    JobOutcome.Verdict verdict =
        calm || random.nextInt(4) > 0
            ? new JobOutcome.Succeeded(Optional.empty())
            : random.nextBoolean()
                ? new JobOutcome.HandedBack()
                : new JobOutcome.Retry(new JobOutcome.Failure("Boom", "", ""), Duration.ZERO);
    return new JobOutcome(job.id(), job.token(), verdict, Duration.ofMillis(1));
  }

  private void exchange(Demand demand) {
    List<JobOutcome> outcomes = ended.values().stream().map(job -> outcome(job, false)).toList();
    settle(outcomes, session.exchange(new Exchange(outcomes, Set.of(), Map.of(), idle(), demand)));
  }

  private void settle(List<JobOutcome> outcomes, Answer answer) {
    for (JobOutcome outcome : outcomes) {
      if (answer.accepted().contains(outcome.id())
          && outcome.verdict() instanceof JobOutcome.Succeeded) {
        simulation.succeeded(outcome.id(), outcome.token());
      }
    }
    ended.clear();
    if (answer.stale()) {
      unsure = true;
      return;
    }
    slots.addAll(answer.slots());
    if (simulation.nanoTime() >= leaseEnds) {
      // Too late to start anything: the next call says so too.
      return;
    }
    for (ClaimedJob job : answer.jobs()) {
      simulation.claimed(job.id(), job.token());
      running.put(job.id(), job);
    }
  }

  /** The slots that no running job needs, which are given back from now on. */
  private List<HeldSlot> idle() {
    List<HeldSlot> idle = new ArrayList<>();
    Map<String, Integer> needed = new HashMap<>();
    running.values().forEach(job -> job.gates().forEach(g -> needed.merge(g, 1, Integer::sum)));
    for (HeldSlot slot : List.copyOf(slots)) {
      if (needed.merge(slot.group(), -1, Integer::sum) < 0) {
        idle.add(slot);
        slots.remove(slot);
      }
    }
    return idle;
  }

  private void reconcile() {
    Set<UUID> known = new HashSet<>(running.keySet());
    known.addAll(ended.keySet());
    Standing standing = session.reconcile(known);
    running.keySet().retainAll(standing.jobs().keySet());
    ended.keySet().retainAll(standing.jobs().keySet());
    slots.clear();
    slots.addAll(standing.slots());
    unsure = false;
  }

  private void renew() {
    long sent = simulation.nanoTime();
    session.renew(Duration.ZERO);
    leaseEnds = Math.max(leaseEnds, sent + Simulation.LEASE.toNanos());
  }

  /** Finishes everything that is left, in a calm world. */
  private void inherit() {
    open();
    for (int round = 0; round < 40; round++) {
      simulation.pass(Duration.ofSeconds(2));
      store.recover();
    }
    signOn();
    int idleRounds = 0;
    while (idleRounds < 5) {
      try {
        renew();
        if (unsure) {
          reconcile();
        }
        List<JobOutcome> outcomes = running.values().stream().map(j -> outcome(j, true)).toList();
        running.clear();
        Answer answer =
            session.exchange(
                new Exchange(
                    outcomes, Set.of(), Map.of(), idle(), new Demand(6, DEMAND, Map.of())));
        idleRounds = outcomes.isEmpty() && answer.jobs().isEmpty() ? idleRounds + 1 : 0;
        settle(outcomes, answer);
        simulation.pass(Duration.ofMillis(300));
      } catch (InvalidRequestException e) {
        throw new IllegalStateException("A calm world refuses nothing", e);
      }
    }
    session.close();
    Map<UUID, Integer> ends = new HashMap<>();
    store
        .jobs()
        .list(JobQuery.ALL.limit(1_000))
        .items()
        .forEach(job -> ends.merge(job.id(), job.state().finished() ? 1 : 0, Integer::sum));
    int held =
        store.limits().groups().stream()
            .filter(group -> !group.isFamily())
            .mapToInt(group -> store.limits().status(group).active())
            .sum();
    simulation.checkEnd(store.jobs().counts(), ends, held);
  }
}
