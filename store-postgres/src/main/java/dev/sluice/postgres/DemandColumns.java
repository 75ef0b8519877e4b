package dev.sluice.postgres;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.spi.Exchange;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What a worker could take on, as the type {@code demand} has it ({@code
 * migration/006_create_search.sql}): what holds for most of its tasks, and the exceptions by name.
 */
final class DemandColumns {
  private DemandColumns() {}

  /**
   * The columns from {@code rooms} to {@code spares}.
   *
   * @param names the canonical names of all tasks that the worker was registered for
   */
  static List<Object> of(Exchange.Demand demand, Map<String, String> names) {
    int depth = usualDepth(demand.tasks());
    ObjectNode depths = JsonNodeFactory.instance.objectNode();
    ObjectNode rooms = JsonNodeFactory.instance.objectNode();
    Set<String> unwanted = new HashSet<>(names.values());
    for (Exchange.TaskDemand task : demand.tasks()) {
      String name = names.get(task.task());
      unwanted.remove(name);
      if (task.room() < demand.jobs()) {
        rooms.put(name, task.room());
      }
      if (task.depth() != depth) {
        depths.put(name, task.depth());
      }
    }
    boolean tight = !rooms.isEmpty();
    unwanted.forEach(task -> rooms.put(task, 0));
    return List.of(
        rooms.toString(),
        tight,
        depth,
        depths.toString(),
        SqlArray.TEXT.of(demand.spare().keySet()),
        SqlArray.INT4.of(demand.spare().values()));
  }

  private static int usualDepth(List<Exchange.TaskDemand> tasks) {
    Map<Integer, Integer> counts = new HashMap<>();
    tasks.forEach(task -> counts.merge(task.depth(), 1, Integer::sum));
    return counts.entrySet().stream()
        .max(Map.Entry.comparingByValue())
        .map(Map.Entry::getKey)
        .orElse(0);
  }
}
