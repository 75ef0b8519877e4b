package dev.sluice.postgres;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

/**
 * Tasks whose jobs stand in front of jobs that a worker wants, and since when.
 *
 * <p>A lane of its own makes every claim look at one more line, for good. A task gets one only if
 * its jobs stay in the way: a worker that has just started has no room for tasks that it has not
 * measured yet, and soon has. Used by one thread.
 */
final class TasksInTheWay {
  static final Duration LASTING = Duration.ofSeconds(1);

  private final LongSupplier nanos;
  private final Map<String, Long> since = new HashMap<>();
  private long lookedAt;

  TasksInTheWay(LongSupplier nanos) {
    this.nanos = nanos;
    this.lookedAt = nanos.getAsLong() - LASTING.toNanos();
  }

  /**
   * Whether a claim should look for all of them. That is done once in a while: their jobs are
   * looked for at the front of every line.
   */
  boolean isLookDue() {
    return nanos.getAsLong() - lookedAt >= LASTING.toNanos();
  }

  /**
   * Those of the tasks that a claim names that have been in the way for a while.
   *
   * @param all whether the claim has looked for all that are, so that others are not any more
   */
  Set<String> lasting(Set<String> named, boolean all) {
    long now = nanos.getAsLong();
    if (all) {
      since.keySet().retainAll(named);
      lookedAt = now;
    }
    return named.stream()
        .filter(task -> now - since.computeIfAbsent(task, first -> now) >= LASTING.toNanos())
        .collect(Collectors.toSet());
  }
}
