package dev.sluice.bench.scenario;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;

/** In which order things are measured, so that none always comes first. */
final class Alternation {
  private Alternation() {}

  /** The order of a round: 0, 1, …, and backwards every other round. */
  static List<Integer> order(int round, int things) {
    List<Integer> order = new ArrayList<>(IntStream.range(0, things).boxed().toList());
    if (round % 2 == 1) {
      Collections.reverse(order);
    }
    return order;
  }
}
