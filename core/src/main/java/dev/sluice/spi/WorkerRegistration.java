package dev.sluice.spi;

import dev.sluice.Group;
import java.time.Duration;
import java.util.Map;
import java.util.Set;

/**
 * What a worker tells the store when it signs on.
 *
 * @param name for operators: host and process, for example
 * @param queues the queues it serves
 * @param tasks the tasks it has handlers for
 * @param limits the limits those tasks declare in code, by group or family
 * @param lease how long the worker may be silent before it counts as dead
 * @param highestToken the highest token of claims and slots that the worker has seen, under
 *     whichever lease; 0 = none. Every token that it is given is above it, even if the store has
 *     gone back to an earlier state meanwhile: a backup was restored
 */
public record WorkerRegistration(
    String name,
    Set<String> queues,
    Set<String> tasks,
    Map<Group, Integer> limits,
    Duration lease,
    long highestToken) {

  /** Of a worker that has seen no token yet. */
  public WorkerRegistration(
      String name,
      Set<String> queues,
      Set<String> tasks,
      Map<Group, Integer> limits,
      Duration lease) {
    this(name, queues, tasks, limits, lease, 0);
  }

  /** The same worker with these limits declared, in place of those before. */
  public WorkerRegistration declaring(Map<Group, Integer> declared) {
    return new WorkerRegistration(name, queues, tasks, declared, lease, highestToken);
  }

  /** The same worker after it has seen this token. */
  public WorkerRegistration seen(long token) {
    return new WorkerRegistration(
        name, queues, tasks, limits, lease, Math.max(highestToken, token));
  }
}
