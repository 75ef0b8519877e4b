package dev.sluice.tck;

import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/** The intervals in which jobs of one group ran, as they come in. Thread-safe. */
final class OverlapLog {
  private final ConcurrentLinkedQueue<OverlapMeter.Interval> intervals =
      new ConcurrentLinkedQueue<>();
  private final AtomicInteger size = new AtomicInteger();

  void add(long start, long end) {
    intervals.add(new OverlapMeter.Interval(start, end));
    size.incrementAndGet();
  }

  int size() {
    return size.get();
  }

  List<OverlapMeter.Interval> intervals() {
    return List.copyOf(intervals);
  }
}
