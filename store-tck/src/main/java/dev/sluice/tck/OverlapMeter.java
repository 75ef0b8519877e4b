package dev.sluice.tck;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Measures from outside how many things ran at once: records when each began and ended on this
 * process's monotonic clock, and computes the peak from the intervals afterwards, so that measuring
 * does not serialise what is measured. Thread-safe.
 */
public final class OverlapMeter {
  private final Map<String, ConcurrentLinkedQueue<Interval>> intervals = new ConcurrentHashMap<>();
  private final Map<String, CountDownLatch> meetings = new ConcurrentHashMap<>();

  /**
   * From when to when something ran, in nanoseconds.
   *
   * @param what what ran, for people to read
   */
  public record Interval(long start, long end, String what) {
    /** Of something that needs no name. */
    public Interval(long start, long end) {
      this(start, end, "a job");
    }

    @Override
    public String toString() {
      return "%s from %d to %d".formatted(what, start, end);
    }
  }

  /** Something that has begun in a group; closing it ends it. */
  public final class Run implements AutoCloseable {
    private final String group;
    private final long start = System.nanoTime();

    private Run(String group) {
      this.group = group;
    }

    @Override
    public void close() {
      intervals
          .computeIfAbsent(group, g -> new ConcurrentLinkedQueue<>())
          .add(new Interval(start, System.nanoTime()));
    }
  }

  /** Something begins in this group now. */
  public Run begin(String group) {
    return new Run(group);
  }

  /**
   * Something begins in this group now. Until {@code together} have begun so, this waits, but no
   * longer than {@code patience}: if the group may have so many at once, its peak is that number
   * however slow the store is.
   */
  public Run beginWithOthers(String group, int together, Duration patience)
      throws InterruptedException {
    Run run = begin(group);
    CountDownLatch meeting = meetings.computeIfAbsent(group, g -> new CountDownLatch(together));
    meeting.countDown();
    meeting.await(patience.toMillis(), TimeUnit.MILLISECONDS);
    return run;
  }

  /** How many ended in this group. */
  public int count(String group) {
    ConcurrentLinkedQueue<Interval> of = intervals.get(group);
    return of == null ? 0 : of.size();
  }

  /** The most that ran at once in this group. */
  public int peak(String group) {
    ConcurrentLinkedQueue<Interval> of = intervals.get(group);
    return of == null ? 0 : peak(List.copyOf(of));
  }

  /** The most intervals that overlap at any instant; one that ends as another starts does not. */
  public static int peak(List<Interval> intervals) {
    record Edge(long at, int step) {}
    List<Edge> edges = new ArrayList<>(intervals.size() * 2);
    for (Interval interval : intervals) {
      edges.add(new Edge(interval.start(), 1));
      edges.add(new Edge(interval.end(), -1));
    }
    edges.sort(Comparator.comparingLong(Edge::at).thenComparingInt(Edge::step));
    int running = 0;
    int peak = 0;
    for (Edge edge : edges) {
      running += edge.step();
      peak = Math.max(peak, running);
    }
    return peak;
  }
}
