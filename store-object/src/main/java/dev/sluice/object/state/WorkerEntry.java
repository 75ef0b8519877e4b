package dev.sluice.object.state;

import java.util.Map;
import java.util.Set;

/**
 * A worker in good standing.
 *
 * @param name for operators
 * @param tasks the canonical names of the tasks it handles
 * @param limits the limits its tasks declare in code, by group or family
 * @param rulesSeen the version of the limits it works by
 */
public record WorkerEntry(
    String name, Set<String> tasks, Map<String, Integer> limits, long rulesSeen) {

  WorkerEntry declaring(Map<String, Integer> others) {
    return new WorkerEntry(name, tasks, others, rulesSeen);
  }

  WorkerEntry seeing(long rules) {
    return new WorkerEntry(name, tasks, limits, rules);
  }
}
