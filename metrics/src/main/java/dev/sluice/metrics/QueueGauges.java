package dev.sluice.metrics;

import dev.sluice.Queues;
import dev.sluice.Queues.QueueInfo;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/** Unfinished jobs by queue and state, and how long the oldest has waited. */
final class QueueGauges implements StoreGauges.Sample {
  private final Queues queues;
  private final int names;
  private final Supplier<Instant> storeTime;
  private final GaugeRows depth;
  private final GaugeRows oldestAge;
  private List<QueueInfo> latest = List.of();

  /** Queues that were seen; a queue without jobs is not on record, and is 0 rather than absent. */
  private final Set<String> named = new LinkedHashSet<>();

  QueueGauges(MeterRegistry registry, Queues queues, int names, Supplier<Instant> storeTime) {
    this.queues = queues;
    this.names = names;
    this.storeTime = storeTime;
    depth = new GaugeRows(registry, "sluice.jobs.queue.depth", "Unfinished jobs, by state");
    oldestAge =
        new GaugeRows(
            registry,
            "sluice.jobs.oldest.age",
            "How long the job has been due that has waited longest to be started",
            "seconds");
  }

  @Override
  public void take() {
    Map<Tags, Double> depths = new LinkedHashMap<>();
    Map<Tags, Double> ages = new LinkedHashMap<>();
    Instant now = storeTime.get();
    latest = queues.list();
    for (QueueInfo queue : known(latest)) {
      Tags tags = Tags.of("queue", label(queue.name()));
      depths.merge(tags.and("state", "ready"), (double) queue.ready(), Double::sum);
      depths.merge(tags.and("state", "running"), (double) queue.running(), Double::sum);
      depths.merge(tags.and("state", "scheduled"), (double) queue.scheduled(), Double::sum);
      ages.merge(tags, age(queue.oldestDue(), now), Math::max);
    }
    depth.show(depths);
    oldestAge.show(ages);
  }

  /** The queues as they were last read. */
  List<QueueInfo> latest() {
    return latest;
  }

  private List<QueueInfo> known(List<QueueInfo> listed) {
    List<QueueInfo> all = new ArrayList<>(listed);
    Set<String> gone = new LinkedHashSet<>(named);
    listed.forEach(queue -> gone.remove(queue.name()));
    gone.forEach(name -> all.add(new QueueInfo(name, false, Map.of(), 0, 0)));
    return all;
  }

  private String label(String queue) {
    if (named.size() < names) {
      named.add(queue);
    }
    return named.contains(queue) ? queue : BoundedLabels.OTHER;
  }

  private static double age(Optional<Instant> oldest, Instant now) {
    return oldest.map(due -> Math.max(0, Duration.between(due, now).toMillis() / 1e3)).orElse(0.0);
  }

  @Override
  public void clear() {
    depth.clear();
    oldestAge.clear();
  }
}
