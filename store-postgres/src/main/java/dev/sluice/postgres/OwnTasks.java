package dev.sluice.postgres;

import dev.sluice.Group;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;

/**
 * The tasks that a worker was registered for.
 *
 * @param canonical their canonical names, by name
 * @param names their names, by canonical name
 */
record OwnTasks(Map<String, String> canonical, Map<String, String> names) {
  static OwnTasks of(Collection<String> tasks) {
    Map<String, String> canonical = new HashMap<>();
    Map<String, String> names = new HashMap<>();
    for (String name : tasks) {
      String task = Group.of(name).toString();
      canonical.put(name, task);
      names.put(task, name);
    }
    return new OwnTasks(Map.copyOf(canonical), Map.copyOf(names));
  }
}
