package dev.sluice.internal;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import java.util.PriorityQueue;

/**
 * Plays through who starts when, to say when it is a job's turn. All times are seconds from now.
 * Everyone is taken to need as long as recent jobs did; so it is a guess, and the better the more
 * alike the jobs are.
 */
final class StartEstimator {
  /** What happens at more places is not played through: with so many, some come free all along. */
  static final int MOST_PLACES = 10_000;

  private StartEstimator() {}

  /**
   * When it is the turn of somebody behind {@code ahead} others.
   *
   * @param places how many may run at once, 1 or more
   * @param freeIn when the places in use come free; there may be more than {@code places} while a
   *     lowered limit drains
   * @param ahead how many go first
   * @param each how long each of them takes
   */
  static double turn(int places, List<Double> freeIn, int ahead, double each) {
    if (places > MOST_PLACES) {
      return each * (freeIn.size() + (double) ahead - places + 1) / places;
    }
    PriorityQueue<Double> free = new PriorityQueue<>(freeIn);
    while (free.size() < places) {
      free.add(0.0);
    }
    // While a group drains, the first to end leave no room.
    while (free.size() > places) {
      free.remove();
    }
    for (int i = 0; i < ahead; i++) {
      free.add(free.remove() + each);
    }
    return free.element();
  }

  /**
   * How long somebody still needs who has been at it for so long. Who has taken longer than usual
   * already may be anywhere in a job: workers keep slots from one job to the next.
   */
  static double left(Duration elapsed, double each) {
    double seconds = Math.max(0, elapsed.toNanos() / 1e9);
    return seconds < each ? each - seconds : each / 2;
  }

  /** When so many come free who began at moments nobody knows: evenly spread. */
  static List<Double> spread(int running, double each) {
    List<Double> freeIn = new ArrayList<>(running);
    for (int i = 1; i <= running; i++) {
      freeIn.add(each * i / (running + 1));
    }
    return freeIn;
  }

  /** The later of two moments, if both are known. */
  static OptionalDouble later(OptionalDouble a, OptionalDouble b) {
    return a.isPresent() && b.isPresent()
        ? OptionalDouble.of(Math.max(a.getAsDouble(), b.getAsDouble()))
        : OptionalDouble.empty();
  }
}
