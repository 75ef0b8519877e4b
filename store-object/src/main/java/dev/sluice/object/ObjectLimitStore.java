package dev.sluice.object;

import dev.sluice.AuditReport;
import dev.sluice.AuditReport.Finding;
import dev.sluice.AuditReport.Kind;
import dev.sluice.ConcurrencyStatus;
import dev.sluice.Group;
import dev.sluice.GroupQuery;
import dev.sluice.GroupSummary;
import dev.sluice.InvalidRequestException;
import dev.sluice.LimitChange;
import dev.sluice.LimitLevel;
import dev.sluice.Page;
import dev.sluice.SlotInfo;
import dev.sluice.SlotLease;
import dev.sluice.object.state.ChangeLog.Logged;
import dev.sluice.object.state.GroupSummaries;
import dev.sluice.object.state.JobCounts;
import dev.sluice.object.state.LimitRules;
import dev.sluice.object.state.LimitRules.InForce;
import dev.sluice.object.state.Micros;
import dev.sluice.object.state.ShardDraft;
import dev.sluice.object.state.SlotAudit;
import dev.sluice.object.state.SlotHolder;
import dev.sluice.object.state.Slots;
import dev.sluice.object.state.WorkerStanding;
import dev.sluice.spi.LimitStore;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** Limits, slots and permits: each change is a step of a commit. */
final class ObjectLimitStore implements LimitStore {
  private static final Duration AWARENESS_TIMEOUT = Duration.ofSeconds(2);
  private static final Duration AWARENESS_POLL = Duration.ofMillis(10);
  private static final int LONGEST_NAME = 200;

  private final StoreEnvironment environment;
  private final Committer committer;
  private final ShardReader reader;
  private final WorkerLeases leases;
  private final LocalWaker waker;
  private final LimitLog log;
  private final AuditStamp stamp;
  private final SlotBoard board;
  private final PointerObject pointers;

  /** The parts of the store that this needs besides those of a commit. */
  record Links(
      WorkerLeases leases,
      LimitLog log,
      AuditStamp stamp,
      SlotBoard board,
      PointerObject pointers) {}

  ObjectLimitStore(
      StoreEnvironment environment, Committer committer, Committer.Parts parts, Links links) {
    this.environment = environment;
    this.committer = committer;
    this.reader = new ShardReader(committer, parts);
    this.waker = parts.waker();
    this.leases = links.leases;
    this.log = links.log;
    this.stamp = links.stamp;
    this.board = links.board;
    this.pointers = links.pointers;
  }

  @Override
  public Optional<SlotLease> tryAcquire(SlotRequest request) {
    String group = request.group().toString();
    return committer.commit(
        draft -> {
          if (LimitRules.limitOf(draft, group).isEmpty()) {
            int limit =
                request
                    .limit()
                    .orElseThrow(
                        () ->
                            new InvalidRequestException(
                                "The group '%s' has no limit, so it has no slots. Set one first, or give a limit."
                                    .formatted(group)));
            LimitRules.propose(draft, group, limit);
          }
          long until = draft.latest() + Micros.of(request.lease());
          return Slots.acquire(
                  draft,
                  group,
                  request.workerId(),
                  new SlotHolder.Permit(request.holderId(), until))
              .map(
                  taken ->
                      new SlotLease(
                          request.group(),
                          taken.slot(),
                          taken.holder().token(),
                          request.holderId(),
                          Micros.toInstant(until)));
        });
  }

  @Override
  public boolean release(SlotLease lease) {
    boolean released =
        committer.commit(
            draft ->
                Slots.releasePermit(draft, lease.group().toString(), lease.slot(), lease.token()));
    if (released) {
      waker.wake();
    }
    return released;
  }

  @Override
  public Optional<SlotLease> extend(SlotLease lease, Duration duration) {
    String group = lease.group().toString();
    return committer.commit(
        draft -> {
          long until = draft.latest() + Micros.of(duration);
          return Slots.extend(draft, group, lease.slot(), lease.token(), until)
              ? Optional.of(
                  new SlotLease(
                      lease.group(),
                      lease.slot(),
                      lease.token(),
                      lease.holderId(),
                      Micros.toInstant(until)))
              : Optional.empty();
        });
  }

  @Override
  public Map<Group, Integer> cleanupExpired(Optional<Group> group) {
    Map<Group, Integer> freed = new TreeMap<>();
    committer
        .commit(draft -> Slots.freeExpired(draft, group.map(Group::toString)))
        .forEach((name, count) -> freed.put(Group.parse(name), count));
    return freed;
  }

  @Override
  public ConcurrencyStatus status(Group group) {
    String name = group.toString();
    return reader.read(
        draft -> {
          Optional<InForce> limit = LimitRules.inForce(draft, group);
          List<SlotInfo> slots = slots(draft, name);
          return new ConcurrencyStatus(
              group,
              limit.isPresent() ? OptionalInt.of(limit.get().limit()) : OptionalInt.empty(),
              slots.size(),
              JobCounts.waiting(draft, name, GroupSummaries.ENOUGH_WAITING),
              new ConcurrencyStatus.Origin(
                  limit.map(InForce::level),
                  limit.flatMap(InForce::inheritedFrom),
                  Map.copyOf(LimitRules.declared(draft, group)),
                  limit.flatMap(InForce::change)),
              slots);
        });
  }

  private List<SlotInfo> slots(ShardDraft draft, String group) {
    List<SlotInfo> slots = new ArrayList<>();
    Map<String, Optional<Instant>> ends = new HashMap<>();
    Slots.of(draft, group)
        .forEach(
            (slot, holder) -> {
              Instant since = Micros.toInstant(Slots.since(draft, holder));
              Instant end =
                  holder.permit() != null
                      ? Micros.toInstant(holder.permit().expiresAt())
                      : ends.computeIfAbsent(
                              holder.worker(),
                              worker -> leases.find(worker).map(l -> l.term().expiresAt()))
                          .orElse(since);
              slots.add(
                  new SlotInfo(
                      slot,
                      holder.holder(),
                      Optional.of(holder.worker()),
                      end,
                      since,
                      holder.token()));
            });
    return List.copyOf(slots);
  }

  @Override
  public List<Group> groups() {
    return reader.read(
        draft -> LimitRules.groups(draft).stream().map(Group::parse).sorted().toList());
  }

  @Override
  public void setLimit(Group group, LimitLevel level, OptionalInt limit, String by) {
    Integer number = limit.isPresent() ? (Integer) limit.getAsInt() : null;
    long version =
        committer.commit(
            draft -> {
              LimitRules.set(draft, group.toString(), level, number, shortened(by));
              return WorkerStanding.rulesVersion(draft);
            });
    waker.wake();
    awaitAwareness(group, version);
  }

  @Override
  public Map<Group, String> pointers() {
    return pointers.read();
  }

  @Override
  public void recordPointers(Map<Group, String> some) {
    if (pointers.record(some)) {
      announce();
    }
  }

  /** As {@link #recordPointers}, and whether something changed; tells no worker of this shard. */
  boolean recordSilently(Map<Group, String> some) {
    return pointers.record(some);
  }

  /** Has the workers of this shard reconcile before they claim again. */
  void announce() {
    committer.commit(
        draft -> {
          LimitRules.announce(draft);
          return true;
        });
    waker.wake();
  }

  private static String shortened(String by) {
    return by.length() <= LONGEST_NAME ? by : by.substring(0, LONGEST_NAME);
  }

  /**
   * A worker that has not heard of the change yet may start what it has in its buffer under the old
   * number. Live ones ask within a poll interval; one that is frozen is not waited for longer than
   * it is worth.
   */
  private void awaitAwareness(Group group, long version) {
    long begun = environment.nanoTime().getAsLong();
    try {
      while (environment.nanoTime().getAsLong() - begun < AWARENESS_TIMEOUT.toNanos()
          && reader.readAdmitted(
              draft -> LimitRules.unaware(draft, group.toString(), version) > 0)) {
        environment.pause().forNanos(AWARENESS_POLL.toNanos());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public Optional<SlotInfo> forceRelease(Group group, int slot) {
    Optional<SlotInfo> held =
        reader.readAdmitted(draft -> slots(draft, group.toString())).stream()
            .filter(info -> info.slotId() == slot)
            .findFirst();
    if (held.isEmpty()
        || committer.commit(draft -> Slots.force(draft, group.toString(), slot)).isEmpty()) {
      return Optional.empty();
    }
    waker.wake();
    return held;
  }

  @Override
  public Page<GroupSummary> summaries(GroupQuery query) {
    return summaries(query, group -> true);
  }

  /** The same, of groups that are counted in this shard. */
  Page<GroupSummary> summaries(GroupQuery query, Predicate<Group> counted) {
    return reader.read(draft -> GroupSummaries.page(draft, query, counted));
  }

  @Override
  public List<LimitChange> changes(Optional<Group> group, int most) {
    return changes(group, most, any -> true);
  }

  /** The same, of groups that are counted in this shard. */
  List<LimitChange> changes(Optional<Group> group, int most, Predicate<Group> counted) {
    // A change leaves the control object after it is in the log: not seen here, it is seen there.
    List<Logged> pending = reader.readAdmitted(ShardDraft::unloggedChanges);
    return log.with(pending).stream()
        .map(Logged::change)
        .filter(change -> group.map(change.group()::equals).orElse(true))
        .filter(change -> counted.test(change.group()))
        .limit(most)
        .toList();
  }

  /**
   * Who has a lease is looked up for the workers that this shard knows, and what to repair is
   * decided by the commit that repairs it. A worker without a lease never gets one again.
   */
  @Override
  public AuditReport audit(boolean repair) {
    AuditReport report = audit(repair, gone(workers()));
    if (repair) {
      sweepBoard(this::heldSlots);
    }
    return report;
  }

  /** The keys of this shard's slots that are held. */
  Set<String> heldSlots() {
    return SlotObjects.heldKeys(committer.read());
  }

  /** Deletes the objects of free slots, given the keys of those that are held in any shard. */
  void sweepBoard(Supplier<Set<String>> held) {
    board.sweep(held);
  }

  /** The workers that this shard knows. */
  Set<String> workers() {
    return reader.readAdmitted(WorkerStanding::known);
  }

  /** Which of these workers have no lease, in any shard: there is one for all. */
  Set<String> gone(Set<String> workers) {
    return leases.gone(workers);
  }

  /** The audit of this shard, with what is known about the leases of its workers. */
  AuditReport audit(boolean repair, Set<String> gone) {
    record Seen(List<Finding> findings, boolean lost) {}
    Seen seen =
        reader.readAdmitted(
            draft ->
                new Seen(
                    SlotAudit.findings(draft, gone),
                    WorkerStanding.known(draft).stream().anyMatch(gone::contains)));
    if (!repair || !seen.lost) {
      return new AuditReport(seen.findings, false);
    }
    List<Finding> repaired =
        committer.commit(
            draft -> {
              List<Finding> found = SlotAudit.findings(draft, gone);
              SlotAudit.repair(draft, gone);
              return found;
            });
    waker.wake();
    return new AuditReport(
        repaired, repaired.stream().anyMatch(finding -> finding.kind() == Kind.LEAKED));
  }

  @Override
  public void raiseTokens(long above) {
    committer.commit(
        draft -> {
          draft.raiseTokens(above);
          return true;
        });
  }

  @Override
  public Optional<AuditReport> auditIfDue(Duration interval) {
    return isAuditDue(interval) ? Optional.of(audit(true)) : Optional.empty();
  }

  /** Whether nobody has begun an audit of all shards within this time; says so to the others. */
  boolean isAuditDue(Duration interval) {
    return stamp.take(interval);
  }
}
