package dev.sluice.internal;

import dev.sluice.Group;
import dev.sluice.Task;
import dev.sluice.spi.LimitStore;
import dev.sluice.spi.PointersOnRecord;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * The pointers by which a worker judges its jobs: those its tasks declare, and those on record for
 * the names of its tasks, which operators, configuration files and other versions of the code have
 * put there.
 *
 * <p>What matters is the order. A pointer goes on record <em>before</em> the limit of its family
 * does, and either makes every worker reconcile, which drops what has not started. A worker reads
 * the pointers <em>after</em> each reconcile and before it claims again. So whatever is claimed
 * under the limit is judged by the pointer, in workers whose code knows nothing of it too. They are
 * read once a minute besides: a process may die after it has put a pointer on record and before it
 * has told the workers.
 *
 * <p>For a dimension that the task in hand declares itself, its own word counts and not the one on
 * record: while two versions differ, a job is in the groups of each that has met it. Thread-safe.
 */
final class WorkerPointers {
  private final LimitStore limits;
  private final Map<String, RegisteredTask<?>> tasks;
  private volatile Map<String, Pointers> inForce;

  WorkerPointers(LimitStore limits, Map<String, RegisteredTask<?>> tasks) {
    this.limits = limits;
    this.tasks = tasks;
    this.inForce = withDeclared(Map.of());
  }

  /** Puts what the tasks declare on record; before the worker signs on, which brings the limits. */
  void record() {
    Map<Group, String> declared = new TreeMap<>();
    tasks.values().forEach(registered -> declared.putAll(declaredBy(registered.task())));
    if (!declared.isEmpty()) {
      limits.recordPointers(declared);
    }
  }

  /** Reads what is on record. */
  void refresh() {
    inForce = withDeclared(PointersOnRecord.of(limits, tasks.keySet()));
  }

  /** Those of a task. */
  Pointers of(String task) {
    return inForce.getOrDefault(task, Pointers.NONE);
  }

  private Map<String, Pointers> withDeclared(Map<Group, String> onRecord) {
    Map<String, Pointers> byTask = new HashMap<>();
    tasks.forEach(
        (name, registered) -> {
          Task<?> task = registered.task();
          Map<Group, String> all = new TreeMap<>(onRecord);
          all.keySet().removeIf(family -> !family.plain().equals(task.group()));
          all.keySet().removeAll(task.limits().keySet());
          all.putAll(declaredBy(task));
          if (!all.isEmpty()) {
            byTask.put(name, Pointers.of(all));
          }
        });
    return byTask;
  }

  /** A task that was made from what is on record has pointers, and declares none. */
  private static Map<Group, String> declaredBy(Task<?> task) {
    Map<Group, String> declared = new TreeMap<>(task.pointers());
    declared.keySet().retainAll(task.limits().keySet());
    return declared;
  }
}
