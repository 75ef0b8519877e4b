package dev.sluice.internal;

import dev.sluice.LeaseLostException;
import dev.sluice.internal.Attempt.Stop;
import dev.sluice.spi.ClaimedJob;
import dev.sluice.spi.Exchange;
import dev.sluice.spi.Exchange.Demand;
import dev.sluice.spi.HeldSlot;
import dev.sluice.spi.JobOutcome;
import dev.sluice.spi.Standing;
import dev.sluice.spi.Standing.Held;
import dev.sluice.spi.WorkerSession;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One worker's time under one lease: the jobs and slots it holds, from signing on to signing off or
 * to losing the lease.
 *
 * <pre>
 *              claimed                 thread, lease and every slot free
 *   store ───────────────▶ buffer ──────────────────────────────────────▶ running
 *     ▲                      │ stalled, cancelled, stopping                  │ handler returned
 *     │    accepted          ▼                                               ▼
 *     └─────────────────── outbox ◀──────────────────────────────────────────┘
 * </pre>
 *
 * <p>A job is in exactly one of the three places. All of them, and the slot ledger, change under
 * this object's monitor, which is never held during a call to the store or to user code; so whether
 * a job may start is decided in one step with taking its thread and its slots, those lent to the
 * worker and those that the job names.
 *
 * <p>The store is authoritative about what is held, this object about what runs. Where the two may
 * have come apart (an exchange that failed half-way, changed limits), {@link #known} drops
 * everything that has not started and {@link #adopt} takes the store's word for the rest.
 *
 * <p>A tenure ends once and for all. When its lease is lost ({@link #fence}), handlers are
 * interrupted and whatever they still return is dropped: it belongs to whoever has the job now. The
 * worker goes on under a new tenure, and shares only threads with the old one.
 */
final class Tenure {
  private static final Logger log = LoggerFactory.getLogger(Tenure.class);

  /** Names no group: those hold no such character. */
  private static final String THREADS_OF = "*";

  private enum Phase {
    OPEN,
    /** Starts and claims nothing more. */
    CLOSING,
    LOST,
    SIGNED_OFF
  }

  private final Workshop workshop;
  private final WorkerEnvironment environment;
  private final WorkerSession session;
  private final Lease lease;
  private final DemandPlanner planner;
  private final Bell renewals = new Bell();
  private final AtomicBoolean renewalWanted = new AtomicBoolean();

  private final Map<UUID, Attempt> running = new HashMap<>();
  private final JobBuffer buffer = new JobBuffer();
  private final SlotLedger ledger = new SlotLedger();
  private final Outbox outbox = new Outbox();
  private volatile Phase phase = Phase.OPEN;

  /**
   * The version of the worker's declarations that the store has. Written by the exchange loop,
   * between exchanges: so it is also the one under which the jobs of an answer were claimed.
   */
  private volatile long declared;

  Tenure(Workshop workshop, WorkerSession session, Lease lease, long declared) {
    this.declared = declared;
    this.workshop = workshop;
    this.environment = workshop.environment();
    this.session = session;
    this.lease = lease;
    this.planner =
        new DemandPlanner(environment.tasks().keySet(), workshop.permits(), workshop.prefetch());
  }

  WorkerSession session() {
    return session;
  }

  String workerId() {
    return session.workerId();
  }

  /** The worker's name, which stays when its id changes. */
  String workerName() {
    return environment.settings().name();
  }

  /** The worker as log lines say it: its name, and its id at the moment. */
  String worker() {
    return "'" + workerName() + "' (" + workerId() + ")";
  }

  /** Rings when the lease is to be renewed at once, or never again. */
  Bell renewals() {
    return renewals;
  }

  boolean over() {
    return phase == Phase.LOST || phase == Phase.SIGNED_OFF;
  }

  /** Whether it starts and claims nothing more. */
  boolean closing() {
    return phase != Phase.OPEN;
  }

  /** Whether handlers may rely on the lease at this moment. */
  boolean holds() {
    return !over() && lease.valid();
  }

  /** For how long yet; zero when they may not. Counts a suspension that has just ended. */
  Duration leaseRemaining() {
    environment.clock().look();
    return over() ? Duration.ZERO : lease.remaining();
  }

  /** Has the lease renewed at once, even if there are no jobs under it. */
  void renewNow() {
    renewalWanted.set(true);
    renewals.ring();
  }

  /** Whether it is to be renewed at once; asked once for each wish. */
  boolean takeRenewalWish() {
    return renewalWanted.getAndSet(false);
  }

  /** Takes every buffered job that may start now, each with its thread and its slots. */
  synchronized List<Attempt> takeStartable() {
    if (phase != Phase.OPEN || buffer.size() == 0 || !holds()) {
      return List.of();
    }
    long now = environment.now();
    List<JobBuffer.Entry> entries =
        buffer.takeStartable(() -> workshop.permits().free() > 0, this::enter, now);
    List<Attempt> attempts = new ArrayList<>(entries.size());
    for (JobBuffer.Entry entry : entries) {
      ClaimedJob job = entry.job();
      ledger.unbuffer(job.gates());
      Attempt attempt = new Attempt(job, this, entry.declared());
      running.put(job.id(), attempt);
      attempts.add(attempt);
      List<String> limited = job.bond().limited();
      if (!limited.isEmpty()) {
        Duration waited = job.run().waited().plusNanos(now - entry.since());
        workshop.announcer().acquired(limited, waited);
      }
      if (!job.run().counted()) {
        outbox.started(job.id(), now);
      }
    }
    return attempts;
  }

  /** Takes a thread and the slots for a job, or says what is missing. */
  private Optional<String> enter(ClaimedJob job) {
    if (!workshop.permits().tryTake(job.task())) {
      return Optional.of(THREADS_OF + job.task());
    }
    Optional<String> full = ledger.tryEnter(job.bond().held());
    if (full.isPresent()) {
      workshop.permits().giveBack(job.task());
    }
    return full;
  }

  /** A handler has returned, or was not started after all. */
  synchronized void ended(Attempt attempt, Ending ending, Duration ran) {
    running.remove(attempt.jobId(), attempt);
    ledger.leave(attempt.held());
    workshop.permits().giveBack(attempt.task());
    if (phase == Phase.LOST || attempt.stopped() == Stop.LEASE_LOST) {
      log.warn("The outcome of {} came too late and is dropped: its lease was lost.", attempt);
    } else {
      report(attempt, ending, ran);
    }
  }

  private void report(Attempt attempt, Ending ending, Duration ran) {
    JobOutcome outcome =
        new JobOutcome(attempt.jobId(), attempt.fencingToken(), ending.verdict(), ran);
    ledger.vacate(attempt.job().bond());
    outbox.add(new Report(outcome, attempt, ending.failure(), false));
  }

  private void reportUnstarted(Collection<ClaimedJob> jobs, Ending ending) {
    jobs.forEach(job -> report(new Attempt(job, this, declared), ending, Duration.ZERO));
  }

  synchronized void progress(Attempt attempt, String note) {
    if (running.get(attempt.jobId()) == attempt) {
      outbox.progress(attempt.jobId(), note, environment.now());
    }
  }

  /** Tells the store what the worker has come to declare; before it hands back who told. */
  void declare() {
    Declarations.Known known = workshop.declarations().known();
    if (known.version() != declared) {
      session.declare(known.limits());
      declared = known.version();
    }
  }

  /** Puts together the next exchange. */
  synchronized Outbox.Parcel prepare() {
    for (ClaimedJob stalled : unbuffer(buffer.removeStalled(environment.now()))) {
      workshop.prefetch().pause(stalled.task());
      reportUnstarted(List.of(stalled), Ending.HANDED_BACK);
    }
    outbox.release(ledger.takeHopeless(workshop.prefetch()::depth));
    Demand demand = phase == Phase.OPEN ? planner.plan(buffer, ledger) : Demand.NONE;
    if (demand.jobs() == 0) {
      outbox.release(ledger.takeIdle());
    }
    return outbox.take(demand, environment.now());
  }

  /** Puts together an exchange that has the first report and nothing else. */
  synchronized Outbox.Parcel prepareFirst() {
    return outbox.takeFirst();
  }

  /** Sends a report before all others. */
  synchronized void reportFirst(Report report) {
    if (!over()) {
      outbox.addFirst(report);
    }
  }

  /** Keeps a job claimed, without a handler, of which the store records no end. */
  synchronized void giveUp(Report report) {
    if (!over()) {
      outbox.giveUp(report);
    }
  }

  /** Takes over what an exchange brought; answers with what can start at once. */
  synchronized List<Attempt> receive(Exchange.Answer answer) {
    workshop.seen(highestToken(answer));
    if (over()) {
      return List.of();
    }
    ledger.add(answer.slots());
    long now = environment.now();
    for (ClaimedJob job : answer.jobs()) {
      int maxAttempts = environment.tasks().get(job.task()).task().retry().maxAttempts();
      if (phase == Phase.CLOSING) {
        reportUnstarted(List.of(job), Ending.HANDED_BACK);
      } else if (job.run().attempt() > maxAttempts) {
        Ending givenUp = Ending.givenUp(job.run().attempt(), maxAttempts);
        reportUnstarted(List.of(job), givenUp);
        AttemptLog.endedUnstarted(new Attempt(job, this, declared), givenUp);
      } else {
        buffer.add(job, now, declared);
        ledger.buffer(job.task(), job.gates());
        ledger.occupy(job.bond());
      }
    }
    List<Attempt> startable = takeStartable();
    outbox.release(ledger.takeUnclaimed());
    return startable;
  }

  private static long highestToken(Exchange.Answer answer) {
    long highest = 0;
    for (ClaimedJob job : answer.jobs()) {
      highest = Math.max(highest, job.token());
    }
    for (HeldSlot slot : answer.slots()) {
      highest = Math.max(highest, slot.token());
    }
    return highest;
  }

  /** Takes back an exchange that may or may not have happened. */
  synchronized void putBack(Outbox.Parcel parcel) {
    outbox.putBack(parcel, running.keySet(), environment.now());
  }

  /** Takes back a report that the store could not take down yet. */
  synchronized void defer(Report report) {
    if (!over()) {
      outbox.defer(report);
    }
  }

  /** Says what it has; called by the exchanging thread, between exchanges. */
  void attest() {
    Map<UUID, Long> claims;
    List<HeldSlot> slots;
    synchronized (this) {
      if (over()) {
        // It has let go of everything, and handlers may still be at work under its lease.
        return;
      }
      claims = outbox.reported();
      buffer.all().forEach(job -> claims.put(job.id(), job.token()));
      running.forEach((job, attempt) -> claims.put(job, attempt.fencingToken()));
      slots = new ArrayList<>(ledger.all());
      slots.addAll(outbox.released());
    }
    session.attest(claims, slots);
  }

  /** Drops what has not started; answers with the claims that are left: token by job. */
  synchronized Map<UUID, Long> known() {
    unbuffer(buffer.removeIf(job -> true));
    outbox.forgetSlots();
    Map<UUID, Long> known = outbox.reported();
    running.forEach((job, attempt) -> known.put(job, attempt.fencingToken()));
    return known;
  }

  /**
   * Takes the store's word for what is held. Answers with the reports of jobs the store does not
   * have any more: recorded already, or too late.
   */
  List<Report> adopt(Standing standing) {
    List<Attempt> lost = new ArrayList<>();
    List<Report> gone;
    synchronized (this) {
      for (Attempt attempt : running.values()) {
        Held held = standing.jobs().get(attempt.jobId());
        if (held == null) {
          // It goes on counting in its groups and slots until its handler has returned.
          lost.add(attempt);
        } else {
          moveTo(held, attempt);
        }
      }
      goOnWithoutSlot(standing);
      gone = outbox.takeOthers(standing.jobs().keySet());
      ledger.replaceSlots(standing.slots(), standing.draining());
    }
    for (Attempt attempt : lost) {
      log.warn("The store no longer has {} for this worker; its handler is interrupted.", attempt);
      attempt.stop(Stop.LEASE_LOST);
    }
    return gone;
  }

  private void moveTo(Held held, Attempt attempt) {
    ledger.move(attempt.held(), held);
    attempt.held(held);
  }

  /**
   * An operator may have taken a slot away by force, from a job that runs here. That job goes on,
   * and no longer counts in the group: the slot is another's. Where a job only ceases to name a
   * slot, without a gate in its place, the limit may as well have been lifted, and nothing is said.
   */
  private void goOnWithoutSlot(Standing standing) {
    Map<String, Integer> left = new HashMap<>();
    standing.slots().forEach(slot -> left.merge(slot.group(), 1, Integer::sum));
    List<Attempt> latestFirst =
        running.values().stream()
            .filter(attempt -> standing.jobs().containsKey(attempt.jobId()))
            .sorted(Comparator.comparingLong(Attempt::fencingToken).reversed())
            .toList();
    for (Attempt attempt : latestFirst) {
      List<String> kept =
          attempt.held().gates().stream()
              .filter(group -> left.merge(group, -1, Integer::sum) >= 0)
              .toList();
      if (kept.size() < attempt.held().gates().size()) {
        log.warn("A slot of {} was taken away by force; its handler goes on without it.", attempt);
        moveTo(new Held(kept, attempt.held().named()), attempt);
      }
    }
  }

  /**
   * Renews the lease now, for at most {@link Ending#LONGEST_DELAY}, and stops what users asked to
   * stop.
   */
  void renew(Duration wanted) {
    Duration atLeast = wanted.compareTo(Ending.LONGEST_DELAY) > 0 ? Ending.LONGEST_DELAY : wanted;
    if (!holds()) {
      // For good, even if an earlier renewal should succeed after all: the keeper ends here.
      fence("it could not be renewed in time");
      throw new LeaseLostException("The lease of worker " + workerId() + " is lost.");
    }
    long sentAt = environment.now();
    Set<UUID> unwanted;
    try {
      unwanted = session.renew(atLeast);
    } catch (LeaseLostException e) {
      fence("the store gave it away");
      throw e;
    }
    lease.renewed(sentAt, atLeast);
    cancel(unwanted);
  }

  private void cancel(Set<UUID> unwanted) {
    if (unwanted.isEmpty()) {
      return;
    }
    List<Attempt> stopping;
    synchronized (this) {
      List<ClaimedJob> buffered = unbuffer(buffer.removeIf(job -> unwanted.contains(job.id())));
      reportUnstarted(buffered, Ending.CANCELLED);
      stopping = running.values().stream().filter(a -> unwanted.contains(a.jobId())).toList();
    }
    stopping.forEach(attempt -> attempt.stop(Stop.CANCELLED));
    workshop.bell().ring();
  }

  /**
   * Looks after everything that comes due by itself: the lease, timeouts, notes and stalled lanes.
   */
  void tick() {
    if (!over() && !lease.valid()) {
      fence("it could not be renewed in time");
      return;
    }
    long now = environment.now();
    boolean due;
    List<Attempt> attempts;
    synchronized (this) {
      due = outbox.notesDue(now) || buffer.untilStalled(now) <= 0;
      attempts = List.copyOf(running.values());
    }
    attempts.forEach(attempt -> attempt.stopIfTimedOut(now));
    if (due) {
      workshop.bell().ring();
    }
  }

  /** Gives the lease up for lost: interrupts every handler, forgets jobs and slots. */
  void fence(String why) {
    List<Attempt> interrupted;
    synchronized (this) {
      if (over()) {
        return;
      }
      phase = Phase.LOST;
      interrupted = List.copyOf(running.values());
      unbuffer(buffer.removeIf(job -> true));
      outbox.clear();
      ledger.replaceSlots(List.of(), Set.of());
    }
    interrupted.forEach(attempt -> attempt.stop(Stop.LEASE_LOST));
    log.error(
        "The lease of worker {} is lost: {}. Handlers are interrupted: {}. The worker goes on under a new lease.",
        worker(),
        why,
        Counts.text(Counts.of(interrupted, Attempt::task)));
    workshop.announcer().leaseLost(workerId(), interrupted.size());
    renewals.ring();
    workshop.bell().ring();
  }

  /** Starts nothing more, and hands back what has not started. */
  synchronized void beginClosing() {
    if (phase == Phase.OPEN) {
      phase = Phase.CLOSING;
      List<ClaimedJob> unstarted = unbuffer(buffer.removeIf(job -> true));
      reportUnstarted(unstarted, Ending.HANDED_BACK);
      log.info(
          "Worker {} drains. Handlers at work: {}. Handed back without a start: {}.",
          worker(),
          runningByTask(),
          Counts.text(Counts.of(unstarted, ClaimedJob::task)));
    }
  }

  /** How many handlers are at work, by task, as text. */
  synchronized String runningByTask() {
    return Counts.text(Counts.of(running.values(), Attempt::task));
  }

  /** Asks every handler to stop, so that its job can be handed back. */
  void handBackRunning() {
    List<Attempt> attempts;
    synchronized (this) {
      attempts = List.copyOf(running.values());
    }
    attempts.forEach(attempt -> attempt.stop(Stop.HANDED_BACK));
  }

  /** Whether it has jobs that users could ask to stop. */
  synchronized boolean hasJobs() {
    return !running.isEmpty() || buffer.size() > 0;
  }

  /** How many jobs have not started. */
  synchronized int buffered() {
    return buffer.size();
  }

  synchronized boolean nothingRuns() {
    return running.isEmpty();
  }

  /** Whether there is something to tell the store that should not wait. */
  synchronized boolean hasNews() {
    return outbox.isUrgent();
  }

  /** Whether nothing runs and everything has been told. */
  synchronized boolean finished() {
    return phase == Phase.CLOSING && running.isEmpty() && !outbox.hasReports();
  }

  /** Signs off; only when nothing runs any more, because the store frees every slot. */
  void signOff() {
    synchronized (this) {
      if (!over()) {
        phase = Phase.SIGNED_OFF;
      }
    }
    renewals.ring();
    try {
      session.close();
    } catch (RuntimeException e) {
      log.warn("Worker {} could not sign off; its lease will run out.", worker(), e);
    }
  }

  private List<ClaimedJob> unbuffer(List<ClaimedJob> jobs) {
    jobs.forEach(job -> ledger.unbuffer(job.gates()));
    jobs.forEach(job -> ledger.vacate(job.bond()));
    return jobs;
  }
}
