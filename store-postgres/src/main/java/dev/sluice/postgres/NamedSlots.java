package dev.sluice.postgres;

import dev.sluice.spi.ClaimedJob;
import dev.sluice.spi.ClaimedJob.NamedSlot;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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
   * how many slots of which groups no job names any more. It takes least time if the jobs that
   * ended are in the order in which they were claimed, as they are in memory.
   */
  Map<String, Integer> exchange(Collection<UUID> ended, Collection<ClaimedJob> claimed) {
    List<NamedSlot> left = new ArrayList<>();
    for (UUID job : ended) {
      List<NamedSlot> slots = byJob.remove(job);
      if (slots != null) {
        left.addAll(slots);
      }
    }
    for (ClaimedJob job : claimed) {
      name(job.id(), job.bond().named());
    }
    Map<String, Integer> freed = new HashMap<>();
    for (NamedSlot slot : left) {
      int others = jobs.remove(slot) - 1;
      if (others > 0) {
        jobs.put(slot, others);
      } else {
        freed.merge(slot.group(), 1, Integer::sum);
      }
    }
    return freed;
  }

  private void name(UUID job, List<NamedSlot> slots) {
    if (!slots.isEmpty()) {
      byJob.put(job, slots);
      for (NamedSlot slot : slots) {
        jobs.merge(slot, 1, Integer::sum);
      }
    }
  }
}
