package dev.sluice.internal;

import dev.sluice.WorkerBulletin;
import dev.sluice.WorkerBulletin.GroupTally;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Counts what happened at limited groups, which may be any number: of the less busy ones only sums
 * are kept when they become too many. Thread-safe. Slots are taken under the monitor of a tenure,
 * so counting never waits for more than a copy of the groups' names: the busiest are chosen from
 * that copy, and then the less busy are dropped.
 *
 * <p>Slots taken are only noted at first, and counted {@value #MOST_NOTED} at a time: the counts of
 * thousands of groups lie all over the memory, and to look for many of them in a row takes a
 * fraction of the time of one look between other work.
 */
final class GroupTallies {
  /** How many groups have a line of their own in a bulletin. */
  static final int MOST_LINES = 50;

  /**
   * How many groups are counted by name: the rest is counted as one until the next reading, which
   * leaves half of them.
   */
  static final int MOST_COUNTED = 10_000;

  private static final int MOST_NOTED = 500;

  private static final long[] BOUNDS =
      WorkerBulletin.WAIT_BOUNDS.stream().mapToLong(seconds -> (long) (seconds * 1e9)).toArray();

  private static final Comparator<Line> BUSIEST_FIRST =
      Comparator.<Line>comparingLong(line -> -line.activity).thenComparing(Line::group);

  /** A group, and how busy it was when it was looked at. */
  private record Line(String group, long activity) {}

  private static final class Counts {
    long acquired;
    long rejected;
    final long[] waits = new long[BOUNDS.length + 1];

    long activity() {
      return acquired + rejected;
    }

    Counts copy() {
      Counts copy = new Counts();
      copy.acquired = acquired;
      copy.rejected = rejected;
      System.arraycopy(waits, 0, copy.waits, 0, waits.length);
      return copy;
    }

    void subtract(Counts other) {
      acquired -= other.acquired;
      rejected -= other.rejected;
      for (int i = 0; i < waits.length; i++) {
        waits[i] -= other.waits[i];
      }
    }

    GroupTally read() {
      return new GroupTally(acquired, rejected, Arrays.stream(waits).boxed().toList());
    }
  }

  private final Map<String, Counts> groups = new HashMap<>();

  /** All groups together, also those that are not counted by name. */
  private final Counts all = new Counts();

  // Slots taken that are not counted yet: the group, and the class of the wait.
  private final String[] noted = new String[MOST_NOTED];
  private final int[] notedWaits = new int[MOST_NOTED];
  private int notes;

  synchronized void acquired(List<String> limited, long waitedNanos) {
    int wait = classOf(waitedNanos);
    for (String group : limited) {
      if (notes == MOST_NOTED) {
        countNoted();
      }
      noted[notes] = group;
      notedWaits[notes++] = wait;
    }
  }

  private void countNoted() {
    for (int i = 0; i < notes; i++) {
      acquired(all, notedWaits[i]);
      Counts counts = counts(noted[i]);
      if (counts != null) {
        acquired(counts, notedWaits[i]);
      }
    }
    notes = 0;
  }

  private static void acquired(Counts counts, int wait) {
    counts.acquired++;
    counts.waits[wait]++;
  }

  synchronized void rejected(String group) {
    countNoted();
    all.rejected++;
    Counts counts = counts(group);
    if (counts != null) {
      counts.rejected++;
    }
  }

  /** The counts of a group; null if it is not counted by name. */
  private Counts counts(String group) {
    Counts counts = groups.get(group);
    if (counts == null && groups.size() < MOST_COUNTED) {
      counts = new Counts();
      groups.put(group, counts);
    }
    return counts;
  }

  /** The class of a wait: the first whose bound it does not exceed, as in a histogram. */
  static int classOf(long nanos) {
    int i = 0;
    while (i < BOUNDS.length && nanos > BOUNDS[i]) {
      i++;
    }
    return i;
  }

  /** The busiest by name, the rest as one. */
  Map<String, GroupTally> read() {
    Line[] lines = lines();
    if (lines.length >= MOST_COUNTED) {
      bringToFront(lines, MOST_COUNTED / 2);
      forget(Arrays.asList(lines).subList(MOST_COUNTED / 2, lines.length));
      lines = Arrays.copyOf(lines, MOST_COUNTED / 2);
    }
    if (lines.length > MOST_LINES) {
      bringToFront(lines, MOST_LINES);
      lines = Arrays.copyOf(lines, MOST_LINES);
    }
    Arrays.sort(lines, BUSIEST_FIRST);
    return read(lines);
  }

  private synchronized Line[] lines() {
    countNoted();
    Line[] lines = new Line[groups.size()];
    int i = 0;
    for (Map.Entry<String, Counts> group : groups.entrySet()) {
      lines[i++] = new Line(group.getKey(), group.getValue().activity());
    }
    return lines;
  }

  /**
   * Brings the busiest to the front, in any order, without sorting them all (Hoare's quickselect).
   */
  private static void bringToFront(Line[] lines, int busiest) {
    int first = 0;
    int last = lines.length - 1;
    while (first < last) {
      Line pivot = lines[(first + last) / 2];
      int i = first;
      int j = last;
      while (i <= j) {
        while (BUSIEST_FIRST.compare(lines[i], pivot) < 0) {
          i++;
        }
        while (BUSIEST_FIRST.compare(lines[j], pivot) > 0) {
          j--;
        }
        if (i <= j) {
          Line line = lines[i];
          lines[i++] = lines[j];
          lines[j--] = line;
        }
      }
      if (busiest <= j) {
        last = j;
      } else if (busiest >= i) {
        first = i;
      } else {
        return;
      }
    }
  }

  private synchronized void forget(List<Line> lessBusy) {
    lessBusy.forEach(line -> groups.remove(line.group));
  }

  private synchronized Map<String, GroupTally> read(Line[] busiest) {
    countNoted();
    Counts rest = all.copy();
    Map<String, GroupTally> tallies = new LinkedHashMap<>();
    for (Line line : busiest) {
      Counts counts = groups.get(line.group);
      if (counts != null) {
        tallies.put(line.group, counts.read());
        rest.subtract(counts);
      }
    }
    if (rest.activity() > 0) {
      tallies.put(WorkerBulletin.OTHER, rest.read());
    }
    return tallies;
  }
}
