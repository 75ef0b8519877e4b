package dev.sluice.object;

import dev.sluice.ConcurrencyStatus;
import dev.sluice.Group;
import dev.sluice.LimitLevel;
import dev.sluice.SlotInfo;
import dev.sluice.SlotLease;
import dev.sluice.spi.LimitStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.TreeSet;

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
  public void setLimit(Group group, LimitLevel level, OptionalInt limit) {
    OptionalInt home = homes.find(Homes.nameOf(group));
    if (home.isPresent()) {
      shards.get(home.getAsInt()).limits().setLimit(group, level, limit);
    } else {
      shards.forEach(shard -> shard.limits().setLimit(group, level, limit));
    }
  }

  @Override
  public Optional<SlotInfo> forceRelease(Group group, int slot) {
    return shardOf(group).forceRelease(group, slot);
  }
}
