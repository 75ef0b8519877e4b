package dev.sluice.object;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * When claims of this process last found a group full. A job that was due by then and is claimed
 * later was held back by that group. What other processes found is not known here: to tell them, a
 * claim that finds nothing would have to write. Thread-safe.
 */
final class FullGroups {
  private static final int MOST_REMEMBERED = 10_000;

  private final Map<String, Long> found =
      new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Long> eldest) {
          return size() > MOST_REMEMBERED;
        }
      };

  /** Takes note that these groups were full at this time by the store's clock. */
  synchronized void found(Collection<String> groups, long at) {
    for (String group : groups) {
      // The latest found is the last to be forgotten.
      Long before = found.remove(group);
      found.put(group, before == null ? at : Math.max(before, at));
    }
  }

  /** When this group was last found full; long ago if it never was. */
  synchronized long lastFound(String group) {
    return found.getOrDefault(group, Long.MIN_VALUE);
  }
}
