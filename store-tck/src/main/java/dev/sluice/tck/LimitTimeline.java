package dev.sluice.tck;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/**
 * The limits a group had over time, and the judge of what ran under them.
 *
 * <p>A change takes effect somewhere between the call and its return, so while it is under way the
 * larger of the two numbers is in force. A lowered limit drains: the judge therefore looks at each
 * <em>start</em>, and asks whether those already running left room for it. Used by one thread.
 */
public final class LimitTimeline {
  private final List<Change> changes = new ArrayList<>();

  private record Change(long begin, long end, int limit) {}

  /** Makes a change and notes from when to when it was under way. */
  public void change(int limit, Runnable change) {
    long begin = System.nanoTime();
    change.run();
    changes.add(new Change(begin, System.nanoTime(), limit));
  }

  /** The largest number that may have been in force at this moment. */
  int inForceAt(long time) {
    int limit = Integer.MAX_VALUE;
    for (Change change : changes) {
      if (change.end() <= time) {
        limit = change.limit();
      } else if (change.begin() <= time) {
        limit = Math.max(limit, change.limit());
      }
    }
    return limit;
  }

  /** Every start that found the group full, in words. */
  public List<String> violations(List<OverlapMeter.Interval> intervals) {
    List<OverlapMeter.Interval> byStart = new ArrayList<>(intervals);
    byStart.sort(Comparator.comparingLong(OverlapMeter.Interval::start));
    PriorityQueue<OverlapMeter.Interval> running =
        new PriorityQueue<>(Comparator.comparingLong(OverlapMeter.Interval::end));
    List<String> violations = new ArrayList<>();
    for (OverlapMeter.Interval interval : byStart) {
      while (!running.isEmpty() && running.peek().end() <= interval.start()) {
        running.poll();
      }
      int limit = inForceAt(interval.start());
      if (running.size() >= limit) {
        violations.add(
            "%s started while %d ran under a limit of %d: %s"
                .formatted(interval, running.size(), limit, running));
      }
      running.add(interval);
    }
    return violations;
  }
}
