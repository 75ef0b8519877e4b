package dev.sluice.cli.demo;

import dev.sluice.Group;
import dev.sluice.cli.demo.Tally.Numbers;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;

/** Jobs per second over the last few seconds. Not thread-safe. */
final class Rates {
  private static final long WINDOW = Duration.ofSeconds(3).toNanos();

  private record Sample(long nanos, Map<Group, Numbers> numbers) {}

  private final Deque<Sample> samples = new ArrayDeque<>();

  void sample(long nanos, Map<Group, Numbers> numbers) {
    samples.addLast(new Sample(nanos, numbers));
    while (samples.size() > 2 && nanos - samples.peekFirst().nanos > WINDOW) {
      samples.removeFirst();
    }
  }

  double perSecond(Group group) {
    Sample first = samples.peekFirst();
    Sample last = samples.peekLast();
    if (first == null || last.nanos == first.nanos) {
      return 0;
    }
    int ended =
        last.numbers.getOrDefault(group, Numbers.NONE).done()
            - first.numbers.getOrDefault(group, Numbers.NONE).done();
    return ended / ((last.nanos - first.nanos) / 1e9);
  }
}
