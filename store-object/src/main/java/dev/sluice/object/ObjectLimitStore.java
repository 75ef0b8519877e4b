package dev.sluice.object;

import dev.sluice.ConcurrencyStatus;
import dev.sluice.Group;
import dev.sluice.InvalidRequestException;
import dev.sluice.LimitLevel;
import dev.sluice.SlotInfo;
import dev.sluice.SlotLease;
import dev.sluice.object.WorkerLeases.LeaseObject;
import dev.sluice.object.state.JobCounts;
import dev.sluice.object.state.JobListing;
import dev.sluice.object.state.LimitRules;
import dev.sluice.object.state.LimitRules.InForce;
import dev.sluice.object.state.Micros;
import dev.sluice.object.state.ShardDraft;
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
import java.util.TreeMap;
import java.util.UUID;

/** Limits, slots and permits: each change is a step of a commit. */
final class ObjectLimitStore implements LimitStore {
  private static final Duration AWARENESS_TIMEOUT = Duration.ofSeconds(2);
  private static final Duration AWARENESS_POLL = Duration.ofMillis(10);
  private static final int ENOUGH_WAITING = 10_000;

  private final StoreEnvironment environment;
  private final Committer committer;
  private final ShardReader reader;
  private final WorkerLeases leases;
  private final LocalWaker waker;

  ObjectLimitStore(
      StoreEnvironment environment,
      Committer committer,
      Committer.Parts parts,
      WorkerLeases leases) {
    this.environment = environment;
    this.committer = committer;
    this.reader = new ShardReader(committer, parts);
    this.waker = parts.waker();
    this.leases = leases;
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
              JobCounts.waiting(draft, name, ENOUGH_WAITING),
              new ConcurrencyStatus.Origin(
                  limit.map(InForce::level),
                  limit.flatMap(InForce::inheritedFrom),
                  Map.copyOf(LimitRules.declared(draft, group))),
              slots);
        });
  }

  /** A worker's jobs sit in its slots in the order they started. */
  private List<SlotInfo> slots(ShardDraft draft, String group) {
    List<SlotInfo> slots = new ArrayList<>();
    Map<String, List<UUID>> jobs = new HashMap<>();
    Map<String, Optional<Instant>> ends = new HashMap<>();
    Slots.of(draft, group)
        .forEach(
            (slot, holder) -> {
              Instant acquiredAt = Micros.toInstant(holder.acquiredAt());
              if (holder.permit() != null) {
                slots.add(
                    new SlotInfo(
                        slot,
                        Optional.of(holder.permit().holder()),
                        Optional.of(holder.worker()),
                        Micros.toInstant(holder.permit().expiresAt()),
                        acquiredAt,
                        holder.token()));
              } else {
                List<UUID> running =
                    jobs.computeIfAbsent(
                        holder.worker(),
                        worker -> new ArrayList<>(JobListing.runningIn(draft, group, worker)));
                Optional<Instant> end =
                    ends.computeIfAbsent(
                        holder.worker(), worker -> leases.find(worker).map(LeaseObject::expiresAt));
                slots.add(
                    new SlotInfo(
                        slot,
                        running.isEmpty()
                            ? Optional.empty()
                            : Optional.of(running.remove(0).toString()),
                        Optional.of(holder.worker()),
                        end.orElse(acquiredAt),
                        acquiredAt,
                        holder.token()));
              }
            });
    return List.copyOf(slots);
  }

  @Override
  public List<Group> groups() {
    return reader.read(
        draft -> LimitRules.groups(draft).stream().map(Group::parse).sorted().toList());
  }

  @Override
  public void setLimit(Group group, LimitLevel level, OptionalInt limit) {
    Integer number = limit.isPresent() ? (Integer) limit.getAsInt() : null;
    long version =
        committer.commit(
            draft -> {
              LimitRules.set(draft, group.toString(), level, number);
              return WorkerStanding.rulesVersion(draft);
            });
    waker.wake();
    awaitAwareness(group, version);
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
}
