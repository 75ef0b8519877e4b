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
 */
public record WorkerRegistration(
    String name,
    Set<String> queues,
    Set<String> tasks,
    Map<Group, Integer> limits,
    Duration lease) {}
