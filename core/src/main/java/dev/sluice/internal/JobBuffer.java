package dev.sluice.internal;

import dev.sluice.spi.ClaimedJob;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;

/**
 * Claimed jobs that have not started, best first.
 *
 * <p>Jobs of the same task and the same limited groups can start under the same conditions, so they
 * stand in one lane and only the first of each lane is ever looked at: a thousand jobs behind one
 * full group cost one look. Across lanes the order is the order of claims, except that a job whose
 * attempt the store has counted already goes before those that are merely buffered.
 *
 * <p>A lane that has not moved for a while waits for something slow; its jobs are better off with
 * another worker and are handed back. Guarded by its {@link Tenure}.
 */
final class JobBuffer {
  /** How long a lane may stand still. */
  static final Duration PATIENCE = Duration.ofMillis(100);

  /** How long a job may stay in a lane that moves. */
  static final Duration LONGEST_STAY = Duration.ofSeconds(1);

  private static final long IN_FRONT = Long.MIN_VALUE / 2;

  private record Entry(ClaimedJob job, long place, long since) {}

  private record LaneKey(String task, List<String> gates) {
    static LaneKey of(ClaimedJob job) {
      return new LaneKey(job.task(), job.gates());
    }
  }

  private static final class Lane {
    final PriorityQueue<Entry> jobs =
        new PriorityQueue<>(Comparator.comparingLong((Entry entry) -> entry.place));
    long movedAt;

    long standsStillSince() {
      long since = jobs.element().since;
      return since - movedAt > 0 ? since : movedAt;
    }

    long stallsAt() {
      long patienceEnds = standsStillSince() + PATIENCE.toNanos();
      long stayEnds = jobs.element().since + LONGEST_STAY.toNanos();
      return patienceEnds - stayEnds < 0 ? patienceEnds : stayEnds;
    }
  }

  private final Map<LaneKey, Lane> lanes = new HashMap<>();
  private final TreeMap<Long, Lane> byFirst = new TreeMap<>();
  private final Map<String, Integer> sizes = new HashMap<>();
  private int size;
  private long sequence;

  void add(ClaimedJob job, long now) {
    long place = sequence++ + (job.run().counted() ? IN_FRONT : 0);
    Lane lane = lanes.computeIfAbsent(LaneKey.of(job), key -> new Lane());
    if (lane.jobs.isEmpty()) {
      lane.movedAt = now;
    } else {
      byFirst.remove(lane.jobs.element().place);
    }
    lane.jobs.add(new Entry(job, place, now));
    byFirst.put(lane.jobs.element().place, lane);
    sizes.merge(job.task(), 1, Integer::sum);
    size++;
  }

  int size() {
    return size;
  }

  int size(String task) {
    return sizes.getOrDefault(task, 0);
  }

  /**
   * Takes, best first, each job that {@code starts} says yes to; a no holds up its lane only. Ends
   * early when {@code anyRoom} says no.
   */
  List<ClaimedJob> takeStartable(BooleanSupplier anyRoom, Predicate<ClaimedJob> starts, long now) {
    List<ClaimedJob> taken = new ArrayList<>();
    for (Map.Entry<Long, Lane> at = byFirst.firstEntry();
        at != null && anyRoom.getAsBoolean();
        at = byFirst.higherEntry(at.getKey())) {
      Lane lane = at.getValue();
      ClaimedJob job = lane.jobs.element().job;
      if (starts.test(job)) {
        taken.add(job);
        removeFirst(lane);
        lane.movedAt = now;
      }
    }
    return taken;
  }

  private void removeFirst(Lane lane) {
    Entry first = lane.jobs.remove();
    byFirst.remove(first.place);
    forget(first.job);
    if (lane.jobs.isEmpty()) {
      lanes.remove(LaneKey.of(first.job));
    } else {
      byFirst.put(lane.jobs.element().place, lane);
    }
  }

  List<ClaimedJob> removeIf(Predicate<ClaimedJob> unwanted) {
    List<ClaimedJob> removed = new ArrayList<>();
    for (Lane lane : List.copyOf(lanes.values())) {
      Entry first = lane.jobs.element();
      lane.jobs.removeIf(entry -> unwanted.test(entry.job) && removed.add(entry.job));
      byFirst.remove(first.place);
      if (lane.jobs.isEmpty()) {
        lanes.remove(LaneKey.of(first.job));
      } else {
        byFirst.put(lane.jobs.element().place, lane);
      }
    }
    removed.forEach(this::forget);
    return removed;
  }

  /** Takes out the jobs of every lane that has stood still for too long. */
  List<ClaimedJob> removeStalled(long now) {
    List<ClaimedJob> removed = new ArrayList<>();
    for (Lane lane : List.copyOf(lanes.values())) {
      if (now - lane.stallsAt() >= 0) {
        while (!lane.jobs.isEmpty()) {
          removed.add(lane.jobs.element().job);
          removeFirst(lane);
        }
      }
    }
    return removed;
  }

  /** How many nanoseconds until a lane has stood still for too long; huge if none ever will. */
  long untilStalled(long now) {
    return lanes.values().stream()
        .mapToLong(lane -> lane.stallsAt() - now)
        .min()
        .orElse(Long.MAX_VALUE);
  }

  private void forget(ClaimedJob job) {
    size--;
    sizes.computeIfPresent(job.task(), (task, count) -> count == 1 ? null : count - 1);
  }
}
