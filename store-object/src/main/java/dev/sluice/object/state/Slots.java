package dev.sluice.object.state;

import dev.sluice.LimitLevel;
import dev.sluice.object.state.SlotHolder.Permit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Slots: taken, given back, adopted. A slot may be taken only while a group holds fewer than its
 * limit, whatever their numbers, so a group whose limit was lowered drains by itself. The number
 * taken is the lowest that is free.
 */
public final class Slots {
  private Slots() {}

  /** A slot that was taken. */
  public record Taken(int slot, SlotHolder holder) {}

  /** How many slots could be taken; {@link Integer#MAX_VALUE} if the group has no limit. */
  static int room(ShardDraft draft, String group) {
    Integer limit = LimitRules.find(draft, group);
    return limit == null ? Integer.MAX_VALUE : limit - draft.slotsOf(group).size();
  }

  /** Whether the group has a limit and no free slot. */
  public static boolean isFull(ShardDraft draft, String group) {
    return room(draft, group) <= 0;
  }

  /** Takes the lowest free slot for this worker; the caller has seen that there is room. */
  static int take(ShardDraft draft, String group, String worker) {
    return take(draft, group, new SlotHolder(worker, null, draft.token(), draft.now()));
  }

  private static int take(ShardDraft draft, String group, SlotHolder holder) {
    int slot = lowestFree(draft.slotsOf(group));
    draft.putSlot(group, slot, holder);
    return slot;
  }

  private static int lowestFree(SortedMap<Integer, SlotHolder> held) {
    int slot = 0;
    for (int taken : held.keySet()) {
      if (taken != slot) {
        break;
      }
      slot++;
    }
    return slot;
  }

  /** Gives every job that runs in this group a slot, whatever the limit. */
  static void adopt(ShardDraft draft, String group) {
    List<String> workers = new ArrayList<>();
    draft
        .running()
        .forEach(
            (id, job) -> {
              if (draft.record(job.place()).allGroups().contains(group)) {
                workers.add(job.claim().worker());
              }
            });
    workers.stream().sorted().forEach(worker -> take(draft, group, worker));
    workers.stream().distinct().forEach(worker -> SlotJobs.assign(draft, worker));
  }

  /** Gives a worker's slot back; whether it held it under this token. */
  public static boolean release(
      ShardDraft draft, String worker, String group, int slot, long token) {
    SlotHolder holder = draft.slotsOf(group).get(slot);
    if (holder == null || !holder.isOf(worker) || holder.token() != token) {
      return false;
    }
    free(draft, group, slot);
    return true;
  }

  private static void free(ShardDraft draft, String group, int slot) {
    draft.putSlot(group, slot, null);
    LimitRules.forgetIfIdle(draft, group);
  }

  /** Frees every slot of a worker; how many in which group. */
  static Map<String, Integer> freeAll(ShardDraft draft, String worker) {
    Map<String, Integer> freed = new TreeMap<>();
    for (String group : List.copyOf(draft.slots().keySet())) {
      for (var slot : List.copyOf(draft.slotsOf(group).entrySet())) {
        if (slot.getValue().isOf(worker)) {
          free(draft, group, slot.getKey());
          freed.merge(group, 1, Integer::sum);
        }
      }
    }
    return freed;
  }

  /** Frees permits whose time is over, of one group or of all; how many in which group. */
  public static Map<String, Integer> freeExpired(ShardDraft draft, Optional<String> only) {
    Map<String, Integer> freed = new TreeMap<>();
    for (String group : only.map(List::of).orElseGet(() -> List.copyOf(draft.slots().keySet()))) {
      for (var slot : List.copyOf(draft.slotsOf(group).entrySet())) {
        if (slot.getValue().hasExpired(draft.now())) {
          free(draft, group, slot.getKey());
          freed.merge(group, 1, Integer::sum);
        }
      }
    }
    return freed;
  }

  /** Whether there are permits whose time is over. */
  public static boolean anyExpired(ShardDraft draft) {
    return draft.slots().values().stream()
        .flatMap(held -> held.values().stream())
        .anyMatch(holder -> holder.hasExpired(draft.now()));
  }

  /** Takes a slot for a permit, if there is room. */
  public static Optional<Taken> acquire(
      ShardDraft draft, String group, String worker, Permit permit) {
    freeExpired(draft, Optional.of(group));
    if (room(draft, group) <= 0) {
      return Optional.empty();
    }
    OptionalInt limit = LimitRules.limitOf(draft, group);
    limit.ifPresent(number -> keep(draft, group, number));
    SlotHolder holder = new SlotHolder(worker, permit, draft.token(), draft.now());
    return Optional.of(new Taken(take(draft, group, holder), holder));
  }

  /** Puts the number that a keyed group's jobs brought along on record, while slots are held. */
  static void keep(ShardDraft draft, String group, int limit) {
    LimitRule rule = draft.rules().get(group);
    if (LimitRules.isKeyed(group) && rule == null && !LimitRules.isRuled(draft, group)) {
      draft.putRule(group, LimitRule.NONE.with(LimitLevel.SUBMIT, limit));
    }
  }

  /** Gives a permit back; whether it was held under this token and its time was not over. */
  public static boolean releasePermit(ShardDraft draft, String group, int slot, long token) {
    if (!holds(draft, group, slot, token)) {
      return false;
    }
    free(draft, group, slot);
    return true;
  }

  private static boolean holds(ShardDraft draft, String group, int slot, long token) {
    SlotHolder holder = draft.slotsOf(group).get(slot);
    return holder != null
        && holder.permit() != null
        && holder.token() == token
        && !holder.hasExpired(draft.now());
  }

  /** Makes a permit last until then; whether it was held under this token. */
  public static boolean extend(ShardDraft draft, String group, int slot, long token, long until) {
    if (!holds(draft, group, slot, token)) {
      return false;
    }
    SlotHolder before = draft.slotsOf(group).get(slot);
    Permit longer = new Permit(before.permit().holder(), until);
    draft.putSlot(
        group, slot, new SlotHolder(before.worker(), longer, before.token(), before.acquiredAt()));
    return true;
  }

  /** Frees a slot whoever holds it; who that was. */
  public static Optional<SlotHolder> force(ShardDraft draft, String group, int slot) {
    SlotHolder holder = draft.slotsOf(group).get(slot);
    if (holder == null) {
      return Optional.empty();
    }
    free(draft, group, slot);
    // A worker that still believes it holds the slot must hear that it does not.
    draft.raiseRulesVersion();
    return Optional.of(holder);
  }

  /** Since when the holder has the slot: the start of the job in it, if there is one. */
  public static long since(ShardDraft draft, SlotHolder holder) {
    RunningJob job = draft.running().get(holder.job());
    return job == null ? holder.acquiredAt() : job.startedAt();
  }

  /** The held slots of a group, by number. */
  public static SortedMap<Integer, SlotHolder> of(ShardDraft draft, String group) {
    return draft.slotsOf(group);
  }
}
