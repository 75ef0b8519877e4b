package dev.sluice.postgres;

import dev.sluice.spi.ClaimedJob;
import dev.sluice.spi.ClaimedJob.NamedSlot;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * Which slots the claimed jobs of a worker name, as of the latest answer: so that it is known which
 * slots came free with an exchange, and other workers can be woken for them. Nothing is decided
 * from it. Used by one thread.
 */
final class NamedSlots {
  private final Map<UUID, List<NamedSlot>> byJob = new HashMap<>();
  private final Map<NamedSlot, Integer> jobs = new HashMap<>();

  /** Takes over what the worker and the store agreed on. */
  void replace(Map<UUID, List<NamedSlot>> known) {
    byJob.clear();
    jobs.clear();
    known.forEach(this::name);
  }

  /**
   * Takes over an exchange: these jobs name nothing any more, those do from now on. Answers with
   * how many slots of which groups no job names any more.
   */
  Map<String, Integer> exchange(Collection<UUID> ended, Collection<ClaimedJob> claimed) {
    Set<NamedSlot> left = new HashSet<>();
    for (UUID job : ended) {
      List<NamedSlot> slots = byJob.remove(job);
      if (slots != null) {
        for (NamedSlot slot : slots) {
          jobs.computeIfPresent(slot, (named, count) -> count == 1 ? null : count - 1);
          left.add(slot);
        }
      }
    }
    claimed.forEach(job -> name(job.id(), job.bond().named()));
    left.removeAll(jobs.keySet());
    Map<String, Integer> freed = new HashMap<>();
    left.forEach(slot -> freed.merge(slot.group(), 1, Integer::sum));
    return freed;
  }

  private void name(UUID job, List<NamedSlot> slots) {
    if (!slots.isEmpty()) {
      byJob.put(job, slots);
      slots.forEach(slot -> jobs.merge(slot, 1, Integer::sum));
    }
  }
}
