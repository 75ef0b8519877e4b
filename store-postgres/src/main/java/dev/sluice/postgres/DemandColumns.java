package dev.sluice.postgres;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.spi.Exchange;
import java.sql.Array;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
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
  private final Connection connection;
  private final List<Map.Entry<String, Integer>> spare;
  private final ObjectNode rooms = JsonNodeFactory.instance.objectNode();
  private final ObjectNode depths = JsonNodeFactory.instance.objectNode();
  private final int depth;
  private boolean tight;

  /**
   * @param names the canonical names of all tasks that the worker was registered for
   */
  DemandColumns(Connection connection, Exchange.Demand demand, Map<String, String> names) {
    this.connection = connection;
    this.spare = List.copyOf(demand.spare().entrySet());
    this.depth = usualDepth(demand.tasks());
    Set<String> unwanted = new HashSet<>(names.values());
    for (Exchange.TaskDemand task : demand.tasks()) {
      String name = names.get(task.task());
      unwanted.remove(name);
      if (task.room() < demand.jobs()) {
        rooms.put(name, task.room());
        tight = true;
      }
      if (task.depth() != depth) {
        depths.put(name, task.depth());
      }
    }
    unwanted.forEach(task -> rooms.put(task, 0));
  }

  private static int usualDepth(Collection<Exchange.TaskDemand> tasks) {
    Map<Integer, Integer> counts = new HashMap<>();
    tasks.forEach(task -> counts.merge(task.depth(), 1, Integer::sum));
    return counts.entrySet().stream()
        .max(Map.Entry.comparingByValue())
        .map(Map.Entry::getKey)
        .orElse(0);
  }

  /** The tasks for which there is less room than the whole demand, and that room. */
  String rooms() {
    return text(rooms);
  }

  /** Whether any task has some room, and less than the whole demand. */
  boolean tight() {
    return tight;
  }

  /** How many jobs to fetch ahead behind a slot of most tasks. */
  int depth() {
    return depth;
  }

  /** The tasks for which that number is another. */
  String depths() {
    return text(depths);
  }

  private static String text(ObjectNode exceptions) {
    return exceptions.isEmpty() ? "{}" : exceptions.toString();
  }

  /** Groups of which slots that are lent to the worker have room for more jobs ... */
  Array spareGroups() throws SQLException {
    return SqlArray.TEXT.of(connection, spare.stream().map(Map.Entry::getKey));
  }

  /** ... and for how many. */
  Array spares() throws SQLException {
    return SqlArray.INT4.of(connection, spare.stream().map(Map.Entry::getValue));
  }
}
