package dev.sluice.object;

import dev.sluice.spi.QueueStore;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Queues, which every shard has a part of. */
final class ShardedQueueStore implements QueueStore {
  private final List<ObjectJobStore> shards;

  ShardedQueueStore(List<ObjectJobStore> shards) {
    this.shards = shards;
  }

  @Override
  public void pause(String queue) {
    shards.forEach(shard -> shard.queues().pause(queue));
  }

  @Override
  public void resume(String queue) {
    shards.forEach(shard -> shard.queues().resume(queue));
  }

  @Override
  public List<QueueInfo> list() {
    TreeMap<String, QueueInfo> queues = new TreeMap<>();
    for (ObjectJobStore shard : shards) {
      shard.queues().list().forEach(q -> queues.merge(q.name(), q, ShardedQueueStore::sum));
    }
    return List.copyOf(queues.values());
  }

  private static QueueInfo sum(QueueInfo a, QueueInfo b) {
    Map<String, DueJobs> due = new HashMap<>(a.due());
    b.due().forEach((task, jobs) -> due.merge(task, jobs, DueJobs::plus));
    return new QueueInfo(
        a.name(),
        a.paused() || b.paused(),
        due,
        a.running() + b.running(),
        a.scheduled() + b.scheduled());
  }
}
