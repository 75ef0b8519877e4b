package dev.sluice.object;

import dev.sluice.Group;
import dev.sluice.LeaseLostException;
import dev.sluice.SluiceException;
import dev.sluice.StoreIncompatibleException;
import dev.sluice.StoreUnavailableException;
import dev.sluice.object.state.Claiming.Claimant;
import dev.sluice.object.state.Ending;
import dev.sluice.object.state.ShardDraft;
import dev.sluice.object.state.Waits;
import dev.sluice.object.state.WorkerEntry;
import dev.sluice.object.state.WorkerStanding;
import dev.sluice.spi.Exchange;
import dev.sluice.spi.Exchange.Answer;
import dev.sluice.spi.Standing;
import dev.sluice.spi.WorkerRegistration;
import dev.sluice.spi.WorkerSession;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A worker's standing with a store on objects: its lease object, and its steps in commits.
 *
 * <p>An exchange is one step. It shares its commit with whatever else the process has to say. Only
 * if the worker could take on more than is known does the commit look for new segments, and no more
 * often than {@link LookPace} says.
 */
final class ObjectWorkerSession implements WorkerSession {
  private static final Logger log = LoggerFactory.getLogger(ObjectWorkerSession.class);

  /** A commit for nothing but what a worker asks for is made no more often than this. */
  private static final Duration ASK_INTERVAL = Duration.ofSeconds(1);

  private final String id;
  private final WorkerRegistration registration;
  private final Links links;
  private final WorkerLeases.Held lease;
  private final ShardReader reader;
  private final AtomicBoolean closed = new AtomicBoolean();
  private volatile boolean lost;
  private volatile long rulesSeen;

  /** The highest token this worker has seen; used by the exchanging thread only. */
  private long highestToken;

  private final LookPace pace = new LookPace();
  private final Waits waits;
  private long asked;
  private boolean everAsked;

  /** Whether this process has submitted jobs since the worker last looked through the inbox. */
  private final AtomicBoolean news = new AtomicBoolean();

  /** The parts of the store that a session needs. */
  record Links(
      Committer committer,
      Committer.Parts parts,
      WorkerLeases leases,
      StoreEnvironment environment,
      SlotBoard board,
      FullGroups fullGroups,
      Map<String, ObjectWorkerSession> open) {}

  private ObjectWorkerSession(
      WorkerRegistration registration, Links links, WorkerLeases.Held lease) {
    this.id = lease.worker();
    this.registration = registration;
    this.highestToken = registration.highestToken();
    this.links = links;
    this.lease = lease;
    this.reader = new ShardReader(links.committer, links.parts);
    this.waits = new Waits(links.environment.patience());
  }

  /** Signs the worker that has this lease on. */
  static ObjectWorkerSession open(
      WorkerRegistration registration, WorkerLeases.Held lease, Links links) {
    ObjectWorkerSession session = new ObjectWorkerSession(registration, links, lease);
    session.register();
    links.open.put(session.id, session);
    return session;
  }

  private static Map<String, Integer> byName(Map<Group, Integer> limits) {
    Map<String, Integer> named = new HashMap<>();
    limits.forEach((group, limit) -> named.put(group.toString(), limit));
    return named;
  }

  private void register() {
    Set<String> tasks =
        registration.tasks().stream()
            .map(task -> Group.of(task).toString())
            .collect(Collectors.toSet());
    WorkerEntry entry =
        new WorkerEntry(registration.name(), tasks, byName(registration.limits()), 0);
    rulesSeen =
        links.committer.commit(
            draft -> {
              draft.raiseTokens(registration.highestToken());
              return WorkerStanding.register(draft, id, entry);
            });
  }

  @Override
  public String workerId() {
    return id;
  }

  /** Whether its lease is over by its own clock. */
  boolean isOverdue() {
    return lease.isOverdue();
  }

  private void requireLease() {
    if (lost || isOverdue()) {
      throw lost();
    }
  }

  private LeaseLostException lost() {
    lost = true;
    links.parts.waker().remove(id);
    return lease.overdue();
  }

  @Override
  public Answer exchange(Exchange exchange) {
    requireLease();
    long seen = rulesSeen;
    long highest = highestToken;
    boolean quiet = exchange.outcomes().isEmpty() && exchange.released().isEmpty();
    long now = links.environment.nanoTime().getAsLong();
    // It comes back early for what it asked for, not for new jobs.
    boolean hurried = quiet && waits.lookIn() > 0;
    boolean told = quiet && news.getAndSet(false);
    boolean mayLook = told || (hurried ? pace.mayLookInBetween(now) : pace.mayLook(quiet, now));
    waits.begin(!everAsked || now - asked >= ASK_INTERVAL.toNanos());
    boolean[] looked = new boolean[1];
    long[] at = new long[1];
    Claimant claimant = new Claimant(id, registration.queues(), links.fullGroups::lastFound, waits);
    if (exchange.demand().jobs() > 0) {
      // Here rather than in the commit, so that other steps do not wait for it.
      links.committer.fetchAdmitted();
    }
    Optional<Answer> answer;
    try {
      answer =
          links.committer.commit(
              draft -> {
                at[0] = draft.now();
                if (!isInGoodStanding(draft)) {
                  return Optional.empty();
                }
                draft.raiseTokens(highest);
                return Optional.of(WorkerStanding.exchange(draft, claimant, seen, exchange));
              },
              given -> {
                looked[0] =
                    mayLook
                        && given.isPresent()
                        && !given.get().stale()
                        && given.get().jobs().size() < exchange.demand().jobs();
                return looked[0];
              });
    } catch (RuntimeException e) {
      if (told) {
        news.set(true);
      }
      throw e;
    }
    if (answer.isEmpty()) {
      throw lost();
    }
    waits.committed();
    answer.get().jobs().forEach(job -> highestToken = Math.max(highestToken, job.token()));
    answer.get().slots().forEach(slot -> highestToken = Math.max(highestToken, slot.token()));
    links.fullGroups.found(answer.get().full(), at[0]);
    if (waits.hasAsked()) {
      everAsked = true;
      asked = now;
    }
    if (waits.hasFreed()) {
      links.parts.waker().wakeOthers(id);
    }
    if (told && !looked[0]) {
      news.set(true);
    }
    if (looked[0]) {
      pace.looked(links.environment.nanoTime().getAsLong());
    }
    if (!hurried || looked[0]) {
      pace.exchanged(quiet, exchange.outcomes().size(), answer.get().jobs().size());
    }
    boolean wantsMore =
        !answer.get().stale() && answer.get().jobs().size() < exchange.demand().jobs();
    return wantsMore ? soonAgain(answer.get(), pace.comeBack(!mayLook && !quiet)) : answer.get();
  }

  /** Asks the worker to come back at this time, if it would not do so before. */
  private static Answer soonAgain(Answer answer, Optional<Duration> soon) {
    boolean sooner =
        soon.isPresent() && answer.nextDue().map(due -> due.compareTo(soon.get()) > 0).orElse(true);
    return sooner
        ? new Answer(
            answer.accepted(),
            answer.cancelled(),
            answer.deferred(),
            answer.jobs(),
            answer.slots(),
            false,
            soon,
            answer.full())
        : answer;
  }

  @Override
  public Set<UUID> renew(Duration atLeast) {
    requireLease();
    try {
      lease.renew(longer(atLeast, registration.lease()));
    } catch (LeaseLostException e) {
      lost = true;
      throw e;
    }
    return renewed();
  }

  static Duration longer(Duration one, Duration other) {
    return one.compareTo(other) > 0 ? one : other;
  }

  /** Takes note that the lease was renewed; the jobs of this worker that users asked to stop. */
  Set<UUID> renewed() {
    links.board.renewed(id);
    return unwanted();
  }

  /**
   * Jobs to stop. If the control object cannot be read, who asks for that is heard later. The lease
   * is renewed all the same: its object alone decides whether anybody may be given what this worker
   * has.
   */
  private Set<UUID> unwanted() {
    Optional<Set<UUID>> unwanted;
    try {
      unwanted =
          reader.readAdmitted(
              draft ->
                  isInGoodStanding(draft)
                      ? Optional.of(WorkerStanding.unwanted(draft, id))
                      : Optional.empty());
    } catch (StoreUnavailableException | StoreIncompatibleException e) {
      log.debug("Worker {} renews its lease and cannot ask which jobs to stop.", id, e);
      return Set.of();
    }
    return unwanted.orElseThrow(this::lost);
  }

  /** When its lease ends, by the store's clock. */
  Instant leaseEnd() {
    return lease.expiresAt();
  }

  /** Whether its steps count, and its lease has not run out while it waited for the commit. */
  private boolean isInGoodStanding(ShardDraft draft) {
    return WorkerStanding.isKnown(draft, id) && !isOverdue();
  }

  @Override
  public Standing reconcile(Map<UUID, Long> known) {
    requireLease();
    record Agreed(Standing standing, long rules) {}
    Optional<Agreed> agreed =
        links.committer.commit(
            draft ->
                isInGoodStanding(draft)
                    ? Optional.of(
                        new Agreed(
                            WorkerStanding.reconcile(draft, id, known),
                            WorkerStanding.rulesVersion(draft)))
                    : Optional.empty());
    rulesSeen = agreed.orElseThrow(this::lost).rules();
    return agreed.get().standing();
  }

  @Override
  public void declare(Map<Group, Integer> limits) {
    requireLease();
    Map<String, Integer> named = byName(limits);
    boolean declared =
        links.committer.commit(
            draft -> {
              if (!isInGoodStanding(draft)) {
                return false;
              }
              WorkerStanding.declare(draft, id, named);
              return true;
            });
    if (!declared) {
      throw lost();
    }
  }

  @Override
  public void onWake(Runnable wake) {
    links
        .parts
        .waker()
        .add(
            id,
            submitted -> {
              if (submitted) {
                news.set(true);
              }
              wake.run();
            });
  }

  /** Whether something stands in the store that this worker waits for: asks, or kept slots. */
  boolean isWaiting() {
    return waits.lookIn() > 0;
  }

  @Override
  public void close() {
    if (signOff()) {
      links.leases.end(id);
    }
  }

  /** Gives everything back; whether the lease is of no further use to anyone. */
  boolean signOff() {
    if (!closed.compareAndSet(false, true)) {
      return false;
    }
    links.parts.waker().remove(id);
    if (lost || isOverdue()) {
      lost = true;
      return false;
    }
    try {
      links.committer.commit(
          draft ->
              WorkerStanding.isKnown(draft, id)
                  ? Optional.of(Ending.retire(draft, id, false))
                  : Optional.empty());
      links.open.remove(id);
      return true;
    } catch (SluiceException e) {
      log.warn(
          "Worker {} could not sign off; what it held comes free when its lease ends. {}",
          id,
          e.getMessage());
      return false;
    }
  }

  @Override
  public void publish(String bulletin) {
    requireLease();
    try {
      lease.publish(bulletin);
    } catch (LeaseLostException e) {
      lost = true;
      throw e;
    }
  }
}
