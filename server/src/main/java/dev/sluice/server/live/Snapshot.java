package dev.sluice.server.live;

import dev.sluice.Alert;
import dev.sluice.AlertThresholds;
import dev.sluice.GroupSummary;
import dev.sluice.JobState;
import dev.sluice.Queues.QueueInfo;
import dev.sluice.WorkerInfo;
import dev.sluice.server.view.GroupView;
import dev.sluice.server.view.GroupView.Traffic;
import dev.sluice.server.view.OverviewView.Rates;
import dev.sluice.server.view.QueueView;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The system as it was when it was last looked at.
 *
 * @param at when, by the server's clock
 * @param figures what the store said
 * @param rates what the workers did, per second
 * @param traffic what happened at groups in the last minutes, by canonical name
 * @param alerts what keeps jobs from getting done, the worst first
 */
public record Snapshot(
    Instant at, Figures figures, Rates rates, Map<String, Traffic> traffic, List<Alert> alerts) {
  /** What the store said; groups are the busiest. */
  public record Figures(
      Map<JobState, Long> counts,
      List<QueueInfo> queues,
      List<GroupSummary> groups,
      List<GroupSummary> heldGroups,
      List<WorkerInfo> workers) {
    /** The store's time when its workers were read; this process' own if there is none. */
    Instant storeTime() {
      return workers.stream()
          .findFirst()
          .map(worker -> worker.lease().readAt())
          .orElseGet(Instant::now);
    }
  }

  /** A snapshot made now. */
  static Snapshot of(
      Figures figures, AlertThresholds thresholds, Rates rates, Map<String, Traffic> traffic) {
    return new Snapshot(
        Instant.now(),
        figures,
        rates,
        traffic,
        Alert.in(
            new Alert.Observed(
                figures.storeTime(), figures.queues, figures.heldGroups, figures.workers),
            thresholds));
  }

  /** How far the store's clock is ahead of the server's, as far as its workers' leases tell. */
  public Duration storeAhead() {
    return figures.workers.stream()
        .findFirst()
        .map(worker -> Duration.between(at, worker.lease().readAt()))
        .orElse(Duration.ZERO);
  }

  /** The queues. */
  public List<QueueView> queues() {
    return figures.queues.stream().map(queue -> QueueView.of(queue, at)).toList();
  }

  /** The busiest queues, up to so many, in the order of all. */
  public List<QueueView> queues(int most) {
    Set<String> busiest =
        figures.queues.stream()
            .sorted(
                Comparator.comparingLong(
                    queue -> -(queue.ready() + queue.running() + queue.scheduled())))
            .limit(most)
            .map(QueueInfo::name)
            .collect(Collectors.toSet());
    return queues().stream().filter(queue -> busiest.contains(queue.name())).toList();
  }

  /** The busiest groups, up to so many. */
  public List<GroupView> groups(int most) {
    return figures.groups.stream()
        .limit(most)
        .map(group -> GroupView.of(group, traffic.get(group.group().toString())))
        .toList();
  }

  /** The name of a worker. */
  public Optional<String> workerName(String id) {
    return figures.workers.stream()
        .filter(worker -> worker.id().equals(id))
        .map(WorkerInfo::name)
        .findFirst();
  }

  long count(JobState state) {
    return figures.counts.getOrDefault(state, 0L);
  }
}
