package dev.sluice.object.state;

import dev.sluice.spi.ClaimedJob;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * Which job runs in which slot: a fact of the commit that records the job's start.
 *
 * <p>A started job has one slot in each limited group it is in, from that commit to the one that
 * ends the job: the lowest of its worker's slots that no other started job has. It changes its slot
 * only if the worker gives that slot back and keeps another, and loses it only if an operator takes
 * it away. A slot without a job is kept by its worker, for its next job or for short jobs whose
 * start is never reported.
 *
 * <p>Nothing is admitted by it: a limit holds because a worker runs no more jobs than it has slots,
 * whichever they are.
 */
final class SlotJobs {
  private SlotJobs() {}

  /**
   * Brings the slots of a worker up to date: ended jobs leave theirs, started jobs get one.
   * Idempotent. Every step that starts or ends jobs of a worker, or takes slots from it, ends with
   * this.
   */
  static void assign(ShardDraft draft, String worker) {
    Map<String, List<Integer>> held = slotsOf(draft, worker);
    if (held.isEmpty()) {
      return;
    }
    List<UUID> started = JobListing.startedBy(draft, worker);
    Map<String, List<UUID>> byGroup = new HashMap<>();
    for (UUID id : started) {
      JobPlace place = draft.running().get(id).place();
      if (draft.isReadable(place)) {
        for (String group : draft.record(place).allGroups()) {
          byGroup.computeIfAbsent(group, any -> new ArrayList<>()).add(id);
        }
      }
    }
    Set<UUID> running = new HashSet<>(started);
    held.forEach(
        (group, slots) ->
            assign(draft, group, slots, running, byGroup.getOrDefault(group, List.of())));
  }

  private static void assign(
      ShardDraft draft, String group, List<Integer> slots, Set<UUID> running, List<UUID> members) {
    Set<UUID> placed = new HashSet<>();
    List<Integer> free = new ArrayList<>();
    for (int slot : slots) {
      UUID job = draft.slotsOf(group).get(slot).job();
      if (job != null && running.contains(job)) {
        placed.add(job);
      } else {
        free.add(slot);
      }
    }
    Iterator<UUID> next = members.stream().filter(job -> !placed.contains(job)).iterator();
    for (int slot : free) {
      SlotHolder holder = draft.slotsOf(group).get(slot);
      UUID job = next.hasNext() ? next.next() : null;
      if (job != null || holder.job() != null) {
        draft.putSlot(group, slot, holder.with(job));
      }
    }
  }

  /** These claimed jobs, those that have started with the slots that they are in. */
  static List<ClaimedJob> tell(ShardDraft draft, List<ClaimedJob> jobs) {
    Map<String, Map<UUID, Integer>> slots = new HashMap<>();
    List<ClaimedJob> told = new ArrayList<>();
    for (ClaimedJob job : jobs) {
      List<Integer> in = new ArrayList<>();
      for (String group : job.gates()) {
        Integer slot =
            slots.computeIfAbsent(group, name -> byJob(draft.slotsOf(name))).get(job.id());
        if (slot != null) {
          in.add(slot);
        }
      }
      boolean all = !in.isEmpty() && in.size() == job.gates().size();
      told.add(all ? job.in(in) : job);
    }
    return told;
  }

  private static Map<UUID, Integer> byJob(Map<Integer, SlotHolder> held) {
    Map<UUID, Integer> slots = new HashMap<>();
    held.forEach((slot, holder) -> slots.put(holder.job(), slot));
    return slots;
  }

  /** The slots of a worker by group, lowest first. */
  private static Map<String, List<Integer>> slotsOf(ShardDraft draft, String worker) {
    Map<String, List<Integer>> held = new HashMap<>();
    draft
        .slots()
        .forEach(
            (group, slots) ->
                slots.forEach(
                    (slot, holder) -> {
                      if (holder.isOf(worker)) {
                        held.computeIfAbsent(group, any -> new ArrayList<>()).add(slot);
                      }
                    }));
    return held;
  }
}
