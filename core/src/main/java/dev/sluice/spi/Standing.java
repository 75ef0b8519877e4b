package dev.sluice.spi;

import dev.sluice.spi.ClaimedJob.NamedSlot;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * What a worker holds, in the store's eyes.
 *
 * @param jobs the known jobs that still belong to the worker, each with the slots it has; a known
 *     job that is missing here has been lost or finished already
 * @param slots every slot lent to the worker
 * @param draining groups of these slots where more are held, by all workers together, than the
 *     limit allows now: start nothing in them, and give each slot back as its job ends
 */
public record Standing(Map<UUID, Held> jobs, List<HeldSlot> slots, Set<String> draining) {
  /**
   * The limited groups of a job, and how it is in them. A group in which a slot was taken from the
   * job by force may be among the gates, without a slot lent for it, or missing: the job goes on
   * without that slot.
   *
   * @param gates those in which it runs under slots lent to the worker
   * @param named those in which it has a slot of its own, with that slot
   */
  public record Held(List<String> gates, List<NamedSlot> named) {
    /** The limited groups of a job that names no slot. */
    public Held(List<String> gates) {
      this(gates, List.of());
    }

    /** All of these groups: the gates, then those in which the job names a slot. */
    public List<String> limited() {
      if (named.isEmpty()) {
        return gates;
      }
      if (gates.isEmpty() && named.size() == 1) {
        return List.of(named.get(0).group());
      }
      List<String> limited = new ArrayList<>(gates.size() + named.size());
      limited.addAll(gates);
      for (NamedSlot slot : named) {
        limited.add(slot.group());
      }
      return Collections.unmodifiableList(limited);
    }
  }
}
