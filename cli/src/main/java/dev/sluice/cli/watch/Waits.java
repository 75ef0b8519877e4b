package dev.sluice.cli.watch;

import dev.sluice.WorkerBulletin;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * How long jobs waited for a slot, by class.
 *
 * @param counts how many in each class of {@link WorkerBulletin#WAIT_BOUNDS}, and one more
 */
public record Waits(List<Long> counts) {
  static final Waits NONE = new Waits(List.of());

  /** These and those together. */
  Waits plus(Waits other) {
    return combined(other, 1);
  }

  /** These without those, which were counted before. */
  Waits minus(Waits earlier) {
    return combined(earlier, -1);
  }

  private Waits combined(Waits other, int sign) {
    int size = Math.max(counts.size(), other.counts.size());
    return new Waits(
        IntStream.range(0, size)
            .mapToObj(i -> at(i) + sign * other.at(i))
            .map(count -> Math.max(0, count))
            .toList());
  }

  private long at(int index) {
    return index < counts.size() ? counts.get(index) : 0;
  }

  /** How many there are. */
  long total() {
    return counts.stream().mapToLong(Long::longValue).sum();
  }

  /**
   * The wait that this share of the jobs did not exceed, as near as the classes tell: within a
   * class they are taken to be spread evenly. In the last class, which has no bound, its beginning.
   *
   * @param share between 0 and 1
   * @return empty if there are none
   */
  public Optional<Duration> quantile(double share) {
    long total = total();
    if (total == 0) {
      return Optional.empty();
    }
    double wanted = share * total;
    double below = 0;
    for (int i = 0; i < counts.size(); i++) {
      long count = counts.get(i);
      if (count > 0 && below + count >= wanted) {
        double from = i == 0 ? 0 : WorkerBulletin.WAIT_BOUNDS.get(i - 1);
        double to =
            i < WorkerBulletin.WAIT_BOUNDS.size() ? WorkerBulletin.WAIT_BOUNDS.get(i) : from;
        double seconds = from + (to - from) * (wanted - below) / count;
        return Optional.of(Duration.ofNanos(Math.round(seconds * 1e9)));
      }
      below += count;
    }
    return Optional.empty();
  }
}
