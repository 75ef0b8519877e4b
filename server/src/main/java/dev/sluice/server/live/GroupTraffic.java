package dev.sluice.server.live;

import static dev.sluice.WorkerBulletin.OTHER;

import dev.sluice.WorkerBulletin.GroupTally;
import dev.sluice.server.view.GroupView.Traffic;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What happened at each group in the last minutes: what workers add to their bulletins, and what
 * this process itself was refused.
 */
final class GroupTraffic {
  static final Duration WINDOW = Duration.ofMinutes(5);

  private static final GroupTally NOTHING = new GroupTally(0, 0, List.of());

  private static final class Sum {
    long acquired;
    long rejected;
    final WaitClasses waits = new WaitClasses();

    void add(Sum other) {
      acquired += other.acquired;
      rejected += other.rejected;
      waits.add(other.waits);
    }

    Traffic view() {
      return new Traffic(acquired, rejected, waits.quantile(0.5), waits.quantile(0.95));
    }
  }

  private record Step(long nanos, Map<String, Sum> groups) {}

  private final Deque<Step> steps = new ArrayDeque<>();
  private Map<String, Sum> current = new HashMap<>();

  /**
   * Adds what came on top between two bulletins of a worker; none before = all of it.
   *
   * <p>Bulletins name the busiest groups and count the rest as one. A group that comes in from the
   * rest brings the counts of its whole life, and the rest of other groups is another count: both
   * are where to count from next time, and nothing new.
   */
  void add(Map<String, GroupTally> before, Map<String, GroupTally> after) {
    boolean allWereNamed = !before.containsKey(OTHER);
    boolean sameNames = before.isEmpty() || before.keySet().equals(after.keySet());
    after.forEach(
        (group, tally) -> {
          GroupTally from = before.getOrDefault(group, NOTHING);
          boolean comparable =
              group.equals(OTHER) ? sameNames : allWereNamed || before.containsKey(group);
          if (comparable && tally.acquired() >= from.acquired()) {
            Sum sum = current.computeIfAbsent(group, any -> new Sum());
            sum.acquired += tally.acquired() - from.acquired();
            sum.rejected += Math.max(0, tally.rejected() - from.rejected());
            sum.waits.addDifference(from.waits(), tally.waits());
          }
        });
  }

  /** Closes a step; forgets what is older than the window. */
  void step(long nanos) {
    if (!current.isEmpty()) {
      steps.add(new Step(nanos, current));
      current = new HashMap<>();
    }
    while (!steps.isEmpty() && nanos - steps.peek().nanos > WINDOW.toNanos()) {
      steps.remove();
    }
  }

  /** Of every group at which anything happened in the window. */
  Map<String, Traffic> byGroup() {
    Map<String, Sum> sums = new HashMap<>();
    for (Step step : steps) {
      step.groups.forEach((group, sum) -> sums.computeIfAbsent(group, any -> new Sum()).add(sum));
    }
    Map<String, Traffic> views = new HashMap<>();
    sums.forEach((group, sum) -> views.put(group, sum.view()));
    return Map.copyOf(views);
  }

  /** Of all groups together, since then. */
  Traffic since(long nanos) {
    Sum all = new Sum();
    for (Step step : steps) {
      if (step.nanos - nanos >= 0) {
        step.groups.values().forEach(all::add);
      }
    }
    return all.view();
  }
}
