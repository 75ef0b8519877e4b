package dev.sluice.bench.pages;

import dev.sluice.bench.report.Figure;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** How long a call took, each time. Not thread-safe. */
final class Visits {
  private final Call call;
  private final double first;
  private final List<Double> later = new ArrayList<>();

  /**
   * @param call which
   * @param first how long it took a server that had just started, in milliseconds
   */
  Visits(Call call, double first) {
    this.call = call;
    this.first = first;
  }

  /** The calls with the largest medians, the slowest first. */
  static List<Visits> slowest(List<Visits> all, int most) {
    return all.stream()
        .sorted(Comparator.comparingDouble((Visits visits) -> visits.later().median()).reversed())
        .limit(most)
        .toList();
  }

  Call call() {
    return call;
  }

  /** It was made again, and took so many milliseconds. */
  void add(double millis) {
    later.add(millis);
  }

  /** How long the first took. */
  Figure first() {
    return Figure.once("ms", first);
  }

  /** How long the others took. */
  Figure later() {
    return new Figure("ms", later);
  }
}
