package dev.sluice.server.live;

import dev.sluice.WorkerBulletin;
import java.util.List;

/** How many waited how long, by class of {@link WorkerBulletin#WAIT_BOUNDS}. */
final class WaitClasses {
  private static final List<Double> BOUNDS = WorkerBulletin.WAIT_BOUNDS;

  private final long[] counts = new long[BOUNDS.size() + 1];

  /** What came on top between two bulletins; a class that shrank belongs to another count. */
  void addDifference(List<Long> before, List<Long> after) {
    for (int i = 0; i < Math.min(counts.length, after.size()); i++) {
      long old = i < before.size() ? before.get(i) : 0;
      counts[i] += Math.max(0, after.get(i) - old);
    }
  }

  void add(WaitClasses other) {
    for (int i = 0; i < counts.length; i++) {
      counts[i] += other.counts[i];
    }
  }

  /**
   * The wait that this share of all did not exceed, in seconds, interpolated inside its class; null
   * if nobody waited. Those beyond the last bound count as that.
   */
  Double quantile(double share) {
    long all = 0;
    for (long count : counts) {
      all += count;
    }
    if (all == 0) {
      return null;
    }
    double wanted = share * all;
    long below = 0;
    for (int i = 0; i < BOUNDS.size(); i++) {
      if (counts[i] > 0 && below + counts[i] >= wanted) {
        double from = i == 0 ? 0 : BOUNDS.get(i - 1);
        return from + (BOUNDS.get(i) - from) * Math.max(0, wanted - below) / counts[i];
      }
      below += counts[i];
    }
    return BOUNDS.get(BOUNDS.size() - 1);
  }
}
