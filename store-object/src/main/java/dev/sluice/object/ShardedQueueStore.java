package dev.sluice.object;

import dev.sluice.spi.QueueStore;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Stream;

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
    return new QueueInfo(
        a.name(),
        a.paused() || b.paused(),
        a.ready() + b.ready(),
        a.running() + b.running(),
        a.scheduled() + b.scheduled(),
        Stream.of(a, b)
            .flatMap(queue -> queue.oldestDue().stream())
            .min(Comparator.naturalOrder()));
  }
}
