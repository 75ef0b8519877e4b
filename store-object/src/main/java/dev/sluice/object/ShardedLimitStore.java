package dev.sluice.object;

import dev.sluice.AuditReport;
import dev.sluice.AuditReport.Finding;
import dev.sluice.ConcurrencyStatus;
import dev.sluice.Group;
import dev.sluice.GroupQuery;
import dev.sluice.GroupSummary;
import dev.sluice.LimitChange;
import dev.sluice.LimitLevel;
import dev.sluice.Page;
import dev.sluice.SlotInfo;
import dev.sluice.SlotLease;
import dev.sluice.object.state.GroupSummaries;
import dev.sluice.spi.LimitStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/**
 * Limits of several shards: each group's where the group lives. A limit of a group that nobody has
 * used yet is set in every shard, and counts in the one where the group comes to live.
 */
final class ShardedLimitStore implements LimitStore {
  private final List<ObjectJobStore> shards;
  private final Homes homes;

  ShardedLimitStore(List<ObjectJobStore> shards, Homes homes) {
    this.shards = shards;
    this.homes = homes;
  }

  /** Where this group is counted, or will be shown until it is. */
  private LimitStore shardOf(Group group) {
    int home = homes.find(Homes.nameOf(group)).orElse(ShardedWorkerSession.WAITING_ROOM);
    return shards.get(home).limits();
  }

  @Override
  public Optional<SlotLease> tryAcquire(SlotRequest request) {
    int home = homes.settle(Homes.nameOf(request.group()));
    return shards.get(home).limits().tryAcquire(request);
  }

  @Override
  public boolean release(SlotLease lease) {
    return shardOf(lease.group()).release(lease);
  }

  @Override
  public Optional<SlotLease> extend(SlotLease lease, Duration duration) {
    return shardOf(lease.group()).extend(lease, duration);
  }

  @Override
  public Map<Group, Integer> cleanupExpired(Optional<Group> group) {
    if (group.isPresent()) {
      return shardOf(group.get()).cleanupExpired(group);
    }
    Map<Group, Integer> freed = new TreeMap<>();
    shards.forEach(shard -> freed.putAll(shard.limits().cleanupExpired(group)));
    return freed;
  }

  @Override
  public ConcurrencyStatus status(Group group) {
    return shardOf(group).status(group);
  }

  /** A limit that was set everywhere counts only where its group lives. */
  @Override
  public List<Group> groups() {
    TreeSet<Group> groups = new TreeSet<>();
    for (int shard = 0; shard < shards.size(); shard++) {
      for (Group group : shards.get(shard).limits().groups()) {
        if (homes.find(Homes.nameOf(group)).orElse(shard) == shard) {
          groups.add(group);
        }
      }
    }
    return new ArrayList<>(groups);
  }

  @Override
  public void setLimit(Group group, LimitLevel level, OptionalInt limit, String by) {
    OptionalInt home = homes.find(Homes.nameOf(group));
    if (home.isPresent()) {
      shards.get(home.getAsInt()).limits().setLimit(group, level, limit, by);
    } else {
      shards.forEach(shard -> shard.limits().setLimit(group, level, limit, by));
    }
  }

  /** They belong to no shard; any of them has them. */
  @Override
  public Map<Group, String> pointers() {
    return shards.get(0).limits().pointers();
  }

  /**
   * Told to the shards that the families live in, or to all: a worker is on record in some shard
   * before it knows where its tasks come to live.
   */
  @Override
  public void recordPointers(Map<Group, String> pointers) {
    if (!shards.get(0).limits().recordSilently(pointers)) {
      return;
    }
    Set<Integer> told = new TreeSet<>();
    for (Group family : pointers.keySet()) {
      OptionalInt home = homes.find(Homes.nameOf(family));
      if (home.isPresent()) {
        told.add(home.getAsInt());
      } else {
        IntStream.range(0, shards.size()).forEach(told::add);
      }
    }
    told.forEach(shard -> shards.get(shard).limits().announce());
  }

  @Override
  public Optional<SlotInfo> forceRelease(Group group, int slot) {
    return shardOf(group).forceRelease(group, slot);
  }

  @Override
  public Page<GroupSummary> summaries(GroupQuery query) {
    boolean busiest = query.order() == GroupQuery.Order.BUSIEST;
    List<GroupSummary> found = new ArrayList<>();
    boolean more = false;
    for (int shard = 0; shard < shards.size(); shard++) {
      Page<GroupSummary> page = shards.get(shard).limits().summaries(query, countedIn(shard));
      found.addAll(page.items());
      more |= page.next().isPresent();
    }
    found.sort(busiest ? GroupSummaries.BUSIEST_FIRST : Comparator.comparing(GroupSummary::group));
    List<GroupSummary> items = List.copyOf(found.subList(0, Math.min(found.size(), query.limit())));
    boolean last = busiest || (!more && found.size() <= query.limit());
    return new Page<>(
        items,
        last ? Optional.empty() : Optional.of(items.get(items.size() - 1).group().toString()));
  }

  /** A group without a home is shown once, by the shard that is asked about it. */
  private Predicate<Group> countedIn(int shard) {
    Map<String, Integer> found = new HashMap<>();
    return group ->
        found.computeIfAbsent(
                Homes.nameOf(group),
                name -> homes.find(name).orElse(ShardedWorkerSession.WAITING_ROOM))
            == shard;
  }

  @Override
  public List<LimitChange> changes(Optional<Group> group, int most) {
    List<LimitChange> changes = new ArrayList<>();
    for (int shard = 0; shard < shards.size(); shard++) {
      changes.addAll(shards.get(shard).limits().changes(group, most, countedIn(shard)));
    }
    changes.sort(Comparator.comparing(LimitChange::at).reversed());
    return changes.stream().limit(most).toList();
  }

  /** Every shard by itself; what was found is known only if all could be looked at. */
  @Override
  public AuditReport audit(boolean repair) {
    Set<String> workers = new HashSet<>();
    shards.forEach(shard -> workers.addAll(shard.limits().workers()));
    Set<String> gone = shards.get(0).limits().gone(workers);
    List<Finding> findings = new ArrayList<>();
    boolean repaired = false;
    for (ObjectJobStore shard : shards) {
      AuditReport report = shard.limits().audit(repair, gone);
      findings.addAll(report.findings());
      repaired |= report.repaired();
    }
    if (repair) {
      shards.get(0).limits().sweepBoard(this::heldSlots);
    }
    findings.sort(Comparator.comparing(Finding::group));
    return new AuditReport(findings, repaired);
  }

  private Set<String> heldSlots() {
    Set<String> held = new HashSet<>();
    shards.forEach(shard -> held.addAll(shard.limits().heldSlots()));
    return held;
  }

  @Override
  public void raiseTokens(long above) {
    shards.forEach(shard -> shard.limits().raiseTokens(above));
  }

  @Override
  public Optional<AuditReport> auditIfDue(Duration interval) {
    return shards.get(0).limits().isAuditDue(interval)
        ? Optional.of(audit(true))
        : Optional.empty();
  }
}
