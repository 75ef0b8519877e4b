package dev.sluice.internal;

import dev.sluice.spi.ClaimedJob;
import dev.sluice.spi.Standing.Held;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Claimed jobs that have not started, best first.
 *
 * <p>Jobs of the same task that have the same gates and name the same slots can start under the
 * same conditions, so they stand in one lane and only the first of each lane is ever looked at.
 * Lanes that met the same obstacle (a group they have in common is full, a slot they all name runs
 * a job, or their task has no thread left) queue up behind it, and only the first of them is looked
 * at. So a thousand jobs behind one full group or one busy slot cost one look, also if each of them
 * has a key of its own besides. Across lanes the order is the order of claims, except that a job
 * whose attempt the store has counted already goes before those that are merely buffered.
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

  private static final Comparator<Entry> BY_PLACE =
      Comparator.comparingLong((Entry entry) -> entry.place);

  /**
   * A job in the buffer.
   *
   * @param place its place in the order
   * @param since when it came
   * @param declared the version of the declarations that was on record when it was claimed
   */
  record Entry(ClaimedJob job, long place, long since, long declared) {}

  private record LaneKey(String task, Held held) {
    static LaneKey of(ClaimedJob job) {
      return new LaneKey(job.task(), job.bond().held());
    }
  }

  private static final class Lane {
    final LaneKey key;
    // With 100,000 keys nearly every lane has one job.
    final PriorityQueue<Entry> jobs = new PriorityQueue<>(1, BY_PLACE);
    long movedAt;
    Obstacle obstacle;

    Lane(LaneKey key) {
      this.key = key;
    }

    long place() {
      return jobs.element().place;
    }

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

  /** What keeps lanes from moving: the first of them is still looked at, the others are not. */
  private static final class Obstacle {
    final String name;
    final TreeMap<Long, Lane> lanes = new TreeMap<>();

    Obstacle(String name) {
      this.name = name;
    }
  }

  private final Map<LaneKey, Lane> lanes = new HashMap<>();
  private final Map<String, Obstacle> obstacles = new HashMap<>();
  private final TreeMap<Long, Lane> toLookAt = new TreeMap<>();
  private final Map<String, Integer> sizes = new HashMap<>();
  private int size;
  private long sequence;

  void add(ClaimedJob job, long now, long declared) {
    long place = sequence++ + (job.run().counted() ? IN_FRONT : 0);
    Entry entry = new Entry(job, place, now, declared);
    Lane lane = lanes.computeIfAbsent(LaneKey.of(job), Lane::new);
    if (lane.jobs.isEmpty()) {
      lane.movedAt = now;
      lane.jobs.add(entry);
      toLookAt.put(place, lane);
    } else if (place < lane.place()) {
      withdraw(lane);
      lane.jobs.add(entry);
      toLookAt.put(place, lane);
    } else {
      lane.jobs.add(entry);
    }
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
   * Takes, best first, each job that {@code start} starts: it returns nothing then, and otherwise
   * the name of the obstacle, the same for all jobs that meet it. Ends early when {@code anyRoom}
   * says no.
   */
  List<Entry> takeStartable(
      BooleanSupplier anyRoom, Function<ClaimedJob, Optional<String>> start, long now) {
    List<Entry> taken = new ArrayList<>();
    Map.Entry<Long, Lane> at = null;
    while (anyRoom.getAsBoolean()) {
      at = at == null ? toLookAt.firstEntry() : toLookAt.higherEntry(at.getKey());
      if (at == null) {
        break;
      }
      Lane lane = at.getValue();
      Entry entry = lane.jobs.element();
      ClaimedJob job = entry.job;
      Optional<String> obstacle = start.apply(job);
      if (obstacle.isEmpty()) {
        taken.add(entry);
        lane.movedAt = now;
        change(lane, lane.jobs::remove);
        forget(job);
      } else {
        queueUp(lane, obstacle.get());
      }
    }
    return taken;
  }

  private void queueUp(Lane lane, String name) {
    if (lane.obstacle != null && lane.obstacle.name.equals(name)) {
      return;
    }
    withdraw(lane);
    Obstacle obstacle = obstacles.computeIfAbsent(name, Obstacle::new);
    if (!obstacle.lanes.isEmpty()) {
      toLookAt.remove(obstacle.lanes.firstKey());
    }
    obstacle.lanes.put(lane.place(), lane);
    lane.obstacle = obstacle;
    toLookAt.put(obstacle.lanes.firstKey(), obstacle.lanes.firstEntry().getValue());
  }

  /** Takes a lane out of the order; if it was the first behind an obstacle, the next takes over. */
  private void withdraw(Lane lane) {
    toLookAt.remove(lane.place());
    Obstacle obstacle = lane.obstacle;
    if (obstacle == null) {
      return;
    }
    lane.obstacle = null;
    obstacle.lanes.remove(lane.place());
    if (obstacle.lanes.isEmpty()) {
      obstacles.remove(obstacle.name);
    } else {
      toLookAt.put(obstacle.lanes.firstKey(), obstacle.lanes.firstEntry().getValue());
    }
  }

  /** Takes jobs out of a lane, which is looked at anew if any are left. */
  private void change(Lane lane, Runnable removal) {
    withdraw(lane);
    removal.run();
    if (lane.jobs.isEmpty()) {
      lanes.remove(lane.key);
    } else {
      toLookAt.put(lane.place(), lane);
    }
  }

  List<ClaimedJob> removeIf(Predicate<ClaimedJob> unwanted) {
    List<ClaimedJob> removed = new ArrayList<>();
    for (Lane lane : List.copyOf(lanes.values())) {
      change(
          lane,
          () -> lane.jobs.removeIf(entry -> unwanted.test(entry.job) && removed.add(entry.job)));
    }
    removed.forEach(this::forget);
    return removed;
  }

  /** Takes out the jobs of every lane that has stood still for too long. */
  List<ClaimedJob> removeStalled(long now) {
    List<ClaimedJob> removed = new ArrayList<>();
    for (Lane lane : List.copyOf(lanes.values())) {
      if (now - lane.stallsAt() >= 0) {
        change(
            lane,
            () -> {
              while (!lane.jobs.isEmpty()) {
                removed.add(lane.jobs.remove().job);
              }
            });
      }
    }
    removed.forEach(this::forget);
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

  /** Every job in it, in no order. */
  List<ClaimedJob> all() {
    return lanes.values().stream().flatMap(lane -> lane.jobs.stream()).map(Entry::job).toList();
  }
}
