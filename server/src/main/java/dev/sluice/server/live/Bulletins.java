package dev.sluice.server.live;

import dev.sluice.WorkerBulletin;
import dev.sluice.WorkerBulletin.Event;
import dev.sluice.WorkerBulletin.GroupTally;
import dev.sluice.WorkerInfo;
import dev.sluice.server.view.GroupView.Traffic;
import dev.sluice.server.view.OverviewView.Rates;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Follows the bulletins of every worker from sample to sample, and tells what was added. Counts of
 * a worker only grow, from its {@code since} on, so two bulletins of the same {@code since} can be
 * subtracted. Not thread-safe: the sampler's alone.
 */
final class Bulletins {
  /** A worker that has said nothing new for so long does nothing, as far as anybody can tell. */
  private static final Duration SILENT = Duration.ofSeconds(20);

  /** Waits are shown for so long, so that a line does not jump with every bulletin. */
  private static final Duration SMOOTHED = Duration.ofSeconds(30);

  /** Something that happened, and where. */
  record WorkerEvent(Event event, WorkerInfo worker) {}

  private record Seen(WorkerBulletin bulletin, Throughput latest, long nanos) {}

  private final Map<String, Seen> workers = new HashMap<>();
  private final GroupTraffic traffic = new GroupTraffic();
  private Map<String, GroupTally> own = Map.of();
  private boolean first = true;

  /** Takes in how often this process was refused a slot, by group; part of the next step. */
  void takeOwn(Map<String, Long> refusals) {
    Map<String, GroupTally> now = new HashMap<>();
    refusals.forEach((group, number) -> now.put(group, new GroupTally(0, number, List.of())));
    traffic.add(own, now);
    own = now;
  }

  /** Takes a list of workers in; returns what happened since the one before, oldest first. */
  List<WorkerEvent> take(List<WorkerInfo> list, long nanos) {
    List<WorkerEvent> events = new ArrayList<>();
    workers.keySet().retainAll(list.stream().map(WorkerInfo::id).toList());
    for (WorkerInfo worker : list) {
      worker.bulletin().ifPresent(bulletin -> take(worker, bulletin, nanos, events));
    }
    first = false;
    traffic.step(nanos);
    events.sort(Comparator.comparing(each -> each.event.at()));
    return events;
  }

  private void take(
      WorkerInfo worker, WorkerBulletin bulletin, long nanos, List<WorkerEvent> events) {
    Seen before = workers.get(worker.id());
    boolean same = before != null && before.bulletin.since().equals(bulletin.since());
    if (same && before.bulletin.at().equals(bulletin.at())) {
      return;
    }
    Throughput latest = Throughput.NONE;
    if (same) {
      latest = Throughput.between(before.bulletin, bulletin);
      traffic.add(before.bulletin.tally().groups(), bulletin.tally().groups());
    } else if (!first) {
      // It has started since the last sample, so all it has done is new.
      latest = Throughput.sinceStart(bulletin);
      traffic.add(Map.of(), bulletin.tally().groups());
    }
    if (!first) {
      long known = same ? lastNumber(before.bulletin) : Long.MIN_VALUE;
      bulletin.events().stream()
          .filter(event -> event.number() > known)
          .forEach(event -> events.add(new WorkerEvent(event, worker)));
    }
    workers.put(worker.id(), new Seen(bulletin, latest, nanos));
  }

  private static long lastNumber(WorkerBulletin bulletin) {
    return bulletin.events().stream().mapToLong(Event::number).max().orElse(Long.MIN_VALUE);
  }

  /** All workers together, per second. */
  Rates rates(long nanos) {
    double started = 0;
    double succeeded = 0;
    double failed = 0;
    double retried = 0;
    for (Seen seen : workers.values()) {
      if (nanos - seen.nanos < SILENT.toNanos()) {
        Rates rates = seen.latest.rates();
        started += rates.started();
        succeeded += rates.succeeded();
        failed += rates.failed();
        retried += rates.retried();
      }
    }
    return new Rates(started, succeeded, failed, retried);
  }

  /** How long an attempt took on average, lately; null if none ended. */
  Double meanDuration(long nanos) {
    double spent = 0;
    long ended = 0;
    for (Seen seen : workers.values()) {
      if (nanos - seen.nanos < SILENT.toNanos()) {
        spent += seen.latest.spent();
        ended += seen.latest.work().ended();
      }
    }
    return ended == 0 ? null : spent / ended;
  }

  /** How long jobs waited for their slots, lately. */
  Traffic recentWaits(long nanos) {
    return traffic.since(nanos - SMOOTHED.toNanos());
  }

  /** By group, over the last minutes. */
  Map<String, Traffic> byGroup() {
    return traffic.byGroup();
  }
}
