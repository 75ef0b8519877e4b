package dev.sluice.workflow;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** When handlers began and ended, by their own clocks, and how many were at it at once. */
final class InFlight {
  private record Span(UUID run, long from, long to) {}

  private final List<Span> spans = new ArrayList<>();

  void handled(UUID run, long from, long to) {
    synchronized (spans) {
      spans.add(new Span(run, from, to));
    }
  }

  int count(UUID run) {
    synchronized (spans) {
      return (int) spans.stream().filter(span -> span.run.equals(run)).count();
    }
  }

  /** The most that were at work at once, by run. */
  Map<UUID, Integer> peaks() {
    record Change(UUID run, long at, int by) {}
    List<Change> changes = new ArrayList<>();
    synchronized (spans) {
      for (Span span : spans) {
        changes.add(new Change(span.run, span.from, 1));
        changes.add(new Change(span.run, span.to, -1));
      }
    }
    changes.sort(Comparator.comparingLong(Change::at).thenComparingInt(Change::by));
    Map<UUID, Integer> now = new HashMap<>();
    Map<UUID, Integer> peaks = new HashMap<>();
    for (Change change : changes) {
      int count = now.merge(change.run, change.by, Integer::sum);
      peaks.merge(change.run, count, Math::max);
    }
    return peaks;
  }
}
