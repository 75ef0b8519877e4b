package dev.sluice.internal;

import dev.sluice.AuditReport;
import dev.sluice.ConcurrencyLimits;
import dev.sluice.ConcurrencyStatus;
import dev.sluice.Group;
import dev.sluice.GroupQuery;
import dev.sluice.GroupSummary;
import dev.sluice.InvalidRequestException;
import dev.sluice.LimitChange;
import dev.sluice.LimitLevel;
import dev.sluice.LimitReachedException;
import dev.sluice.Page;
import dev.sluice.Permit;
import dev.sluice.SlotInfo;
import dev.sluice.SlotLease;
import dev.sluice.SluiceListener;
import dev.sluice.Task;
import dev.sluice.spi.LimitStore;
import dev.sluice.spi.PointersOnRecord;
import dev.sluice.spi.TasksByName;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;

/**
 * The limiter users see: the store's, plus waiting for a slot and permits that renew themselves.
 */
public final class RenewingLimits implements ConcurrencyLimits, AutoCloseable {
  private static final Duration FIRST_WAIT = Duration.ofMillis(2);
  private static final Duration LONGEST_WAIT = Duration.ofMillis(50);
  private static final int LONGEST_ACTOR = 200;

  /** A floor of tokens cannot be lowered again, so that it leaves as many as are below it. */
  private static final long HIGHEST_FLOOR = 1L << 62;

  private final LimitStore store;
  private final TasksByName tasks;
  private final PermitKeeper keeper;
  private final Audience<SluiceListener> listeners;
  private final CallerRefusals refusals;
  private final String actor;
  private final String processId = "process-" + ProcessHandle.current().pid();

  /** Permits have leases of this length. */
  public RenewingLimits(
      LimitStore store,
      TasksByName tasks,
      Audience<SluiceListener> listeners,
      CallerRefusals refusals,
      String actor,
      Duration lease) {
    this(
        store,
        tasks,
        new PermitKeeper(store, lease, ElapsedClock.SYSTEM),
        listeners,
        refusals,
        actor);
  }

  RenewingLimits(
      LimitStore store,
      TasksByName tasks,
      PermitKeeper keeper,
      Audience<SluiceListener> listeners,
      CallerRefusals refusals,
      String actor) {
    this.store = store;
    this.tasks = tasks;
    this.keeper = keeper;
    this.listeners = listeners;
    this.refusals = refusals;
    this.actor = actor;
  }

  @Override
  public ConcurrencyLimits as(String actor) {
    return new RenewingLimits(
        store, tasks, keeper, listeners, refusals, BoundedText.of(actor, LONGEST_ACTOR));
  }

  @Override
  public Duration defaultLease() {
    return keeper.length();
  }

  @Override
  public Optional<SlotLease> tryAcquire(
      Group group, OptionalInt limit, String holderId, String workerId, Duration lease) {
    long askedAt = System.nanoTime();
    Optional<SlotLease> slot = ask(group, limit, holderId, workerId, lease);
    if (slot.isPresent()) {
      acquired(group, askedAt);
    } else {
      rejected(group);
    }
    return slot;
  }

  private void acquired(Group group, long askedAt) {
    Duration waited = Duration.ofNanos(System.nanoTime() - askedAt);
    listeners.tell(listener -> listener.onAcquired(group, waited));
  }

  private void rejected(Group group) {
    refusals.count(group);
    listeners.tell(listener -> listener.onRejected(group));
  }

  private Optional<SlotLease> ask(
      Group group, OptionalInt limit, String holderId, String workerId, Duration lease) {
    if (group.isFamily()) {
      throw new InvalidRequestException(
          "'" + group + "' is a family; a slot is taken in one of its groups.");
    }
    if (limit.isPresent() && limit.getAsInt() < 0) {
      throw negative(group, limit.getAsInt());
    }
    if (lease.isNegative() || lease.isZero()) {
      throw new InvalidRequestException(
          "A lease of " + Durations.format(lease) + " is not positive.");
    }
    return store.tryAcquire(new LimitStore.SlotRequest(group, limit, holderId, workerId, lease));
  }

  @Override
  public boolean release(SlotLease lease) {
    return store.release(lease);
  }

  @Override
  public Optional<SlotLease> extendLease(SlotLease lease, Duration duration) {
    return store.extend(lease, duration);
  }

  @Override
  public int cleanupExpired(Group group) {
    return logged(store.cleanupExpired(Optional.of(group))).getOrDefault(group, 0);
  }

  @Override
  public Map<Group, Integer> cleanupExpired() {
    return logged(store.cleanupExpired(Optional.empty()));
  }

  private static Map<Group, Integer> logged(Map<Group, Integer> freed) {
    freed.forEach((group, slots) -> LeaseRescuer.logFreed(group.toString(), slots));
    return freed;
  }

  @Override
  public ConcurrencyStatus status(Group group) {
    return store.status(group);
  }

  @Override
  public List<Group> groups() {
    return store.groups();
  }

  @Override
  public Map<String, Long> refusals() {
    return refusals.unpublished();
  }

  @Override
  public Page<GroupSummary> summaries(GroupQuery query) {
    return store.summaries(query);
  }

  @Override
  public List<LimitChange> changes(Optional<Group> group, int most) {
    return store.changes(group, most);
  }

  @Override
  public void raiseTokens(long above) {
    if (above < 0 || above > HIGHEST_FLOOR) {
      throw new InvalidRequestException(
          "A floor of %d leaves no tokens to give out or is none; use zero or more, and at most %d."
              .formatted(above, HIGHEST_FLOOR));
    }
    store.raiseTokens(above);
  }

  @Override
  public AuditReport audit(boolean repair) {
    return store.audit(repair);
  }

  @Override
  public void setLimit(Group group, int limit) {
    if (limit < 0) {
      throw negative(group, limit);
    }
    set(group, LimitLevel.OPERATOR, OptionalInt.of(limit));
  }

  @Override
  public void setLimit(Group family, int limit, String pointer) {
    record(family, limit, pointer);
    setLimit(family, limit);
  }

  @Override
  public void configureLimit(Group family, int limit, String pointer) {
    record(family, limit, pointer);
    configureLimit(family, OptionalInt.of(limit));
  }

  @Override
  public Map<Group, String> pointers() {
    return store.pointers();
  }

  /** Before the limit: whatever is claimed under the limit is judged by the pointer. */
  private void record(Group family, int limit, String pointer) {
    if (limit < 0) {
      throw negative(family, limit);
    }
    Pointers.require(family, pointer);
    Map<Group, String> inForce = PointersOnRecord.of(store, Set.of(family.plainName()));
    inForce.put(family, pointer);
    if (inForce.size() > Task.MAX_EXTRA_GROUPS - 1) {
      throw new InvalidRequestException(
          "The task '%s' would have pointers for %d dimensions with limits, %s; at most %d are allowed. Remove the limit of one of them first."
              .formatted(
                  family.plainName(), inForce.size(), inForce.keySet(), Task.MAX_EXTRA_GROUPS - 1));
    }
    store.recordPointers(Map.of(family, pointer));
  }

  private void set(Group group, LimitLevel level, OptionalInt limit) {
    store.setLimit(group, level, limit, actor);
    tasks.forget();
  }

  @Override
  public void removeLimit(Group group) {
    set(group, LimitLevel.OPERATOR, OptionalInt.empty());
    set(group, LimitLevel.SUBMIT, OptionalInt.empty());
  }

  @Override
  public void configureLimit(Group group, OptionalInt limit) {
    if (limit.isPresent() && limit.getAsInt() < 0) {
      throw negative(group, limit.getAsInt());
    }
    set(group, LimitLevel.CONFIG, limit);
  }

  @Override
  public Optional<SlotInfo> forceRelease(Group group, int slot) {
    return store.forceRelease(group, slot);
  }

  @Override
  public Permit acquire(Group group, Duration timeout) throws InterruptedException {
    String holder = "permit-" + UUID.randomUUID();
    long askedAt = System.nanoTime();
    long deadline = askedAt + timeout.toNanos();
    long wait = FIRST_WAIT.toNanos();
    for (boolean first = true; ; first = false) {
      long sentAt = keeper.now();
      Optional<SlotLease> lease =
          ask(group, OptionalInt.empty(), holder, processId, keeper.length());
      if (lease.isPresent()) {
        Permit permit = keeper.keep(lease.get(), sentAt);
        acquired(group, askedAt);
        return permit;
      }
      if (first) {
        rejected(group);
      }
      long left = deadline - System.nanoTime();
      if (left <= 0) {
        throw new LimitReachedException(
            "No slot of the group '%s' came free within %s.".formatted(group, timeout));
      }
      // Jitter keeps waiters from asking in step.
      long jittered = wait / 2 + ThreadLocalRandom.current().nextLong(wait);
      Thread.sleep(Duration.ofNanos(Math.min(left, jittered)).toMillis() + 1);
      wait = Math.min(wait * 2, LONGEST_WAIT.toNanos());
    }
  }

  @Override
  public void close() {
    keeper.close();
  }

  private static InvalidRequestException negative(Group group, int limit) {
    return new InvalidRequestException(
        "The limit %d of group '%s' is negative. Use 0 to hold the group, or 1 and more; remove the limit to lift it."
            .formatted(limit, group));
  }
}
