package dev.sluice.object;

import dev.sluice.Group;
import dev.sluice.LeaseLostException;
import dev.sluice.SluiceException;
import dev.sluice.object.state.Ending;
import dev.sluice.object.state.ShardDraft;
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
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A worker's standing with a store on objects: its lease object, and its steps in commits.
 *
 * <p>An exchange is one step. It shares its commit with whatever else the process has to say. Only
 * if the worker could take on more than is known does the commit look for new segments; and when
 * outcomes come by the hundred a second, not with every one of them, but every {@link
 * #BUSY_LOOK_INTERVAL}. A worker that has found nothing for a while looks with every {@value
 * #LOOK_EVERY}rd poll only; it reads the control object with each.
 */
final class ObjectWorkerSession implements WorkerSession {
  private static final Logger log = LoggerFactory.getLogger(ObjectWorkerSession.class);
  private static final Duration BUSY_LOOK_INTERVAL = Duration.ofMillis(50);

  /** After so many looks that found nothing, a worker counts as idle. */
  private static final int IDLE_AFTER = 60;

  private static final int LOOK_EVERY = 3;

  private final String id;
  private final WorkerRegistration registration;
  private final Links links;
  private final WorkerLeases.Held lease;
  private final ShardReader reader;
  private final AtomicBoolean closed = new AtomicBoolean();
  private final AtomicLong leaseEnds;
  private volatile boolean lost;
  private volatile long rulesSeen;
  private long lastLook;
  private int emptyLooks;
  private int skipped;

  /** The parts of the store that a session needs. */
  record Links(
      Committer committer,
      Committer.Parts parts,
      WorkerLeases leases,
      StoreEnvironment environment,
      SlotBoard board,
      Map<String, ObjectWorkerSession> open) {}

  private ObjectWorkerSession(
      String id, WorkerRegistration registration, Links links, WorkerLeases.Held lease) {
    this.id = id;
    this.registration = registration;
    this.links = links;
    this.lease = lease;
    this.reader = new ShardReader(links.committer, links.parts);
    this.leaseEnds = new AtomicLong();
    // A monotonic clock may begin anywhere, below zero too.
    this.lastLook = links.environment.nanoTime().getAsLong() - BUSY_LOOK_INTERVAL.toNanos();
  }

  static ObjectWorkerSession open(WorkerRegistration registration, Links links) {
    String id =
        new UUID(
                links.environment.random().nextLong() & ~0xf000L | 0x4000L,
                links.environment.random().nextLong() >>> 2 | 0x8000_0000_0000_0000L)
            .toString();
    long sent = links.environment.nanoTime().getAsLong();
    WorkerLeases.Held lease = links.leases.open(id, registration.name(), registration.lease());
    ObjectWorkerSession session = new ObjectWorkerSession(id, registration, links, lease);
    session.leaseEnds.set(sent + registration.lease().toNanos());
    session.register();
    links.open.put(id, session);
    return session;
  }

  private void register() {
    Map<String, Integer> limits = new HashMap<>();
    registration.limits().forEach((group, limit) -> limits.put(group.toString(), limit));
    Set<String> tasks =
        registration.tasks().stream()
            .map(task -> Group.of(task).toString())
            .collect(Collectors.toSet());
    WorkerEntry entry = new WorkerEntry(registration.name(), tasks, limits, 0);
    rulesSeen = links.committer.commit(draft -> WorkerStanding.register(draft, id, entry));
  }

  @Override
  public String workerId() {
    return id;
  }

  /** Whether its lease is over by its own clock. */
  boolean isOverdue() {
    return links.environment.nanoTime().getAsLong() - leaseEnds.get() >= 0;
  }

  private void requireLease() {
    if (lost || isOverdue()) {
      throw lost();
    }
  }

  private LeaseLostException lost() {
    lost = true;
    links.parts.waker().remove(id);
    return new LeaseLostException(
        "Worker %s (%s) lost its lease of %s; what it held may be someone else's now."
            .formatted(id, registration.name(), registration.lease()));
  }

  @Override
  public Answer exchange(Exchange exchange) {
    requireLease();
    long seen = rulesSeen;
    boolean quiet = exchange.outcomes().isEmpty() && exchange.released().isEmpty();
    long now = links.environment.nanoTime().getAsLong();
    boolean mayLook =
        quiet
            ? emptyLooks < IDLE_AFTER || ++skipped % LOOK_EVERY == 0
            : now - lastLook >= BUSY_LOOK_INTERVAL.toNanos();
    boolean[] looked = new boolean[1];
    Optional<Answer> answer =
        links.committer.commit(
            draft ->
                isInGoodStanding(draft)
                    ? Optional.of(
                        WorkerStanding.exchange(draft, id, registration.queues(), seen, exchange))
                    : Optional.empty(),
            given -> {
              looked[0] =
                  mayLook
                      && given.isPresent()
                      && !given.get().stale()
                      && given.get().jobs().size() < exchange.demand().jobs();
              return looked[0];
            });
    if (answer.isEmpty()) {
      throw lost();
    }
    if (looked[0]) {
      lastLook = now;
    }
    emptyLooks = quiet && answer.get().jobs().isEmpty() ? emptyLooks + 1 : 0;
    return mayLook || quiet ? answer.get() : soonAgain(answer.get(), exchange.demand().jobs());
  }

  /** Asks the worker to come back when the inbox may be looked through again. */
  private static Answer soonAgain(Answer answer, int wanted) {
    boolean wantsMore = !answer.stale() && answer.jobs().size() < wanted;
    if (!wantsMore
        || answer.nextDue().map(due -> due.compareTo(BUSY_LOOK_INTERVAL) < 0).orElse(false)) {
      return answer;
    }
    return new Answer(
        answer.accepted(), answer.jobs(), answer.slots(), false, Optional.of(BUSY_LOOK_INTERVAL));
  }

  @Override
  public Set<UUID> renew(Duration atLeast) {
    requireLease();
    Duration length = atLeast.compareTo(registration.lease()) > 0 ? atLeast : registration.lease();
    Optional<Set<UUID>> unwanted =
        reader.readAdmitted(
            draft ->
                isInGoodStanding(draft)
                    ? Optional.of(WorkerStanding.unwanted(draft, id))
                    : Optional.empty());
    if (unwanted.isEmpty()) {
      throw lost();
    }
    long sent = links.environment.nanoTime().getAsLong();
    try {
      lease.renew(length);
    } catch (LeaseLostException e) {
      lost = true;
      throw e;
    }
    leaseEnds.accumulateAndGet(sent + length.toNanos(), (a, b) -> b - a > 0 ? b : a);
    links.board.renewed(id);
    return unwanted.get();
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
  public Standing reconcile(Set<UUID> known) {
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
  public void onWake(Runnable wake) {
    links.parts.waker().add(id, wake);
  }

  @Override
  public void close() {
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    links.parts.waker().remove(id);
    if (lost || isOverdue()) {
      lost = true;
      return;
    }
    try {
      links.committer.commit(
          draft ->
              WorkerStanding.isKnown(draft, id)
                  ? Optional.of(Ending.retire(draft, id, false))
                  : Optional.empty());
      links.open.remove(id);
      links.leases.remove(id);
    } catch (SluiceException e) {
      log.warn("Worker {} could not sign off; what it held comes free when its lease ends.", id, e);
    }
  }
}
