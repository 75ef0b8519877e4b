package dev.sluice.internal;

import dev.sluice.WorkerBulletin;
import dev.sluice.WorkerBulletin.GroupTally;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Counts what happened at limited groups, which may be any number: of the less busy ones only sums
 * are kept when they become too many. Thread-safe. Slots are taken under the monitor of a tenure,
 * so counting never waits for more than a copy: who reads sorts it, and then drops the less busy.
 */
final class GroupTallies {
  /** How many groups have a line of their own in a bulletin. */
  static final int MOST_LINES = 50;

  /**
   * How many groups are counted by name: the rest is counted as one until the next reading, which
   * leaves half of them.
   */
  static final int MOST_COUNTED = 10_000;

  private static final long[] BOUNDS =
      WorkerBulletin.WAIT_BOUNDS.stream().mapToLong(seconds -> (long) (seconds * 1e9)).toArray();

  private static final Comparator<Line> BUSIEST_FIRST =
      Comparator.<Line>comparingLong(line -> -line.counts.activity()).thenComparing(Line::group);

  private record Line(String group, Counts counts) {}

  private static final class Counts {
    long acquired;
    long rejected;
    final long[] waits = new long[BOUNDS.length + 1];

    long activity() {
      return acquired + rejected;
    }

    Counts copy() {
      Counts copy = new Counts();
      copy.add(this);
      return copy;
    }

    void add(Counts other) {
      acquired += other.acquired;
      rejected += other.rejected;
      Arrays.setAll(waits, i -> waits[i] + other.waits[i]);
    }

    GroupTally read() {
      return new GroupTally(acquired, rejected, Arrays.stream(waits).boxed().toList());
    }
  }

  private final Map<String, Counts> groups = new HashMap<>();
  private final Counts others = new Counts();

  synchronized void acquired(List<String> limited, long waitedNanos) {
    for (String group : limited) {
      Counts counts = counts(group);
      counts.acquired++;
      counts.waits[classOf(waitedNanos)]++;
    }
  }

  synchronized void rejected(String group) {
    counts(group).rejected++;
  }

  private Counts counts(String group) {
    Counts counts = groups.get(group);
    if (counts == null) {
      if (groups.size() >= MOST_COUNTED) {
        return others;
      }
      counts = new Counts();
      groups.put(group, counts);
    }
    return counts;
  }

  private synchronized void forget(List<Line> lessBusy) {
    for (Line line : lessBusy) {
      Counts counts = groups.remove(line.group);
      if (counts != null) {
        others.add(counts);
      }
    }
  }

  /** The class of a wait: the first whose bound it does not exceed, as in a histogram. */
  static int classOf(long nanos) {
    int i = 0;
    while (i < BOUNDS.length && nanos > BOUNDS[i]) {
      i++;
    }
    return i;
  }

  private synchronized List<Line> copy(Counts rest) {
    rest.add(others);
    List<Line> all = new ArrayList<>(groups.size());
    groups.forEach((group, counts) -> all.add(new Line(group, counts.copy())));
    return all;
  }

  /** The busiest by name, the rest as one. */
  Map<String, GroupTally> read() {
    Counts rest = new Counts();
    List<Line> all = copy(rest);
    all.sort(BUSIEST_FIRST);
    Map<String, GroupTally> lines = new LinkedHashMap<>();
    for (Line line : all) {
      if (lines.size() < MOST_LINES) {
        lines.put(line.group, line.counts.read());
      } else {
        rest.add(line.counts);
      }
    }
    if (all.size() >= MOST_COUNTED) {
      forget(all.subList(MOST_COUNTED / 2, all.size()));
    }
    if (rest.activity() > 0) {
      lines.put(WorkerBulletin.OTHER, rest.read());
    }
    return lines;
  }
}
