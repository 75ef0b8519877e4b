package dev.sluice.internal;

import dev.sluice.spi.ClaimedJob;
import dev.sluice.spi.ClaimedJob.NamedSlot;
import dev.sluice.spi.HeldSlot;
import dev.sluice.spi.Standing.Held;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.ToIntFunction;

/**
 * The slots lent to a worker, how many of its jobs run and wait under them, by group, and the slots
 * that its running jobs name.
 *
 * <p>The one invariant: a job enters its groups only while each of its gates has more slots held
 * than jobs running, and each slot it names runs no job; in all of them or in none. The store sees
 * to it that all workers together have no more slots of a group than its limit; this ledger sees to
 * it that a worker runs no more jobs than it holds slots, and one job in a named slot. A slot taken
 * out of the ledger (to be given back) is no longer held from that moment on, before the store
 * hears of it, never after.
 *
 * <p>The numbers of running jobs are the truth about this process. The slots are the store's truth,
 * last heard: {@link #replaceSlots} puts the store's latest word in their place, and if it holds
 * fewer than run (a lowered limit, a slot taken away by force), nothing starts until enough have
 * ended.
 *
 * <p>Of a <em>named</em> slot the ledger knows only that a job runs in it now. The slot is not
 * asked work for and not given back: in the store it is free as soon as no claimed job names it.
 * Two jobs may run in one for a while: a job that the store has given away goes on until its
 * handler has returned, and the store may name its slot for another that runs already. The slot has
 * room again when both have ended.
 *
 * <p>An <em>idle</em> slot was lent and has no job running or waiting under it. It is kept for one
 * exchange after its job ended, so that the next job of a busy group need not take it anew, and
 * goes back when that exchange brought nothing for it: see {@link #takeUnclaimed}. Two kinds go
 * back with the very exchange that reports their job: slots of a draining group, in which nothing
 * starts any more, and those of a group whose only job just ended (one of a hundred thousand keys,
 * each with a job now and then). And slots beyond those that it takes to fill the buffer go back at
 * any time: see {@link Place#surplus}. Thread-safe.
 */
final class SlotLedger {
  private static final class Place {
    final Deque<HeldSlot> slots = new ArrayDeque<>();
    final Set<Integer> occupied = new HashSet<>();
    final Set<String> tasks = new HashSet<>(2);
    int running;
    int buffered;
    int entered;
    int freedSinceAsked;
    boolean draining;

    int idle() {
      return slots.size() - running - buffered;
    }

    int depth(ToIntFunction<String> depthOfTask) {
      return tasks.stream().mapToInt(depthOfTask).max().orElse(0);
    }

    /**
     * Each slot had one job although the store would have sent more with it, had there been any.
     */
    boolean solitary(ToIntFunction<String> depthOfTask) {
      return entered <= slots.size() && buffered == 0 && depth(depthOfTask) > 0;
    }

    /**
     * How many slots are more than it takes to fill the worker's buffer, with one to spare. A
     * worker that has not measured a handler yet takes one for each of its threads; if the jobs
     * turn out to do next to nothing, it needs a few of them, and others could use the rest.
     */
    int surplus(ToIntFunction<String> depthOfTask) {
      int depth = depth(depthOfTask);
      if (depth == 0) {
        return 0;
      }
      int fill = (DemandPlanner.LARGEST_BUFFER + depth) / (1 + depth);
      return slots.size() - Math.max(running, fill + 1);
    }

    /** Takes a slot out: the latest in which no job is on record, as far as the store has said. */
    HeldSlot removeSlot() {
      for (Iterator<HeldSlot> latest = slots.descendingIterator(); latest.hasNext(); ) {
        HeldSlot slot = latest.next();
        if (!occupied.contains(slot.slot())) {
          latest.remove();
          return slot;
        }
      }
      return slots.removeLast();
    }

    boolean blank() {
      return slots.isEmpty() && running == 0 && buffered == 0;
    }
  }

  /** Stands between the group and the number of a slot; no name of a group holds it. */
  private static final String NUMBER = "*";

  private final Map<String, Place> places = new HashMap<>();

  /** How many jobs run in each named slot; slots without one are left out. */
  private final Map<NamedSlot, Integer> busy = new HashMap<>();

  /**
   * Takes slots over. A store gives out new ones only in a group that holds no more than its limit
   * allows, so that group has drained.
   */
  synchronized void add(Collection<HeldSlot> slots) {
    for (HeldSlot slot : slots) {
      Place place = place(slot.group());
      place.slots.add(slot);
      place.draining = false;
    }
  }

  /** Notes a job that waits in the buffer. */
  synchronized void buffer(String task, List<String> gates) {
    for (String group : gates) {
      Place place = place(group);
      place.buffered++;
      place.tasks.add(task);
    }
  }

  /** Notes in which slots the store has a job on record, from its claim on. */
  synchronized void occupy(ClaimedJob.Bond bond) {
    for (int i = 0; i < bond.slots().size(); i++) {
      place(bond.gates().get(i)).occupied.add(bond.slots().get(i));
    }
  }

  /** Notes that the store is about to hear how that job ended. */
  synchronized void vacate(ClaimedJob.Bond bond) {
    for (int i = 0; i < bond.slots().size(); i++) {
      Place place = places.get(bond.gates().get(i));
      if (place != null) {
        place.occupied.remove(bond.slots().get(i));
      }
    }
  }

  synchronized void unbuffer(List<String> gates) {
    for (String group : gates) {
      place(group).buffered--;
      forgetIfBlank(group);
    }
  }

  /**
   * Lets a job run in all of these groups, or in none; then says what has no room: one of the
   * groups, or one of the slots that the job names.
   */
  synchronized Optional<String> tryEnter(Held held) {
    for (String group : held.gates()) {
      Place place = places.get(group);
      if (place == null || place.draining || place.running >= place.slots.size()) {
        return Optional.of(group);
      }
    }
    for (NamedSlot slot : held.named()) {
      if (busy.containsKey(slot)) {
        return Optional.of(slot.group() + NUMBER + slot.slot());
      }
    }
    for (String group : held.gates()) {
      Place place = place(group);
      place.running++;
      place.entered++;
    }
    held.named().forEach(this::use);
    return Optional.empty();
  }

  synchronized void leave(Held held) {
    for (String group : held.gates()) {
      Place place = place(group);
      place.running--;
      place.freedSinceAsked++;
      forgetIfBlank(group);
    }
    held.named().forEach(this::free);
  }

  private void use(NamedSlot slot) {
    busy.merge(slot, 1, Integer::sum);
  }

  private void free(NamedSlot slot) {
    busy.computeIfPresent(slot, (same, jobs) -> jobs == 1 ? null : jobs - 1);
  }

  /**
   * How many more jobs there is room for under the slots held, by group; what becomes free from now
   * on has not been asked for.
   */
  synchronized Map<String, Integer> ask(ToIntFunction<String> depthOfTask) {
    Map<String, Integer> spare = new HashMap<>();
    places.forEach(
        (group, place) -> {
          place.freedSinceAsked = 0;
          int room = place.slots.size() * (1 + place.depth(depthOfTask));
          room -= place.running + place.buffered;
          if (room > 0 && !place.draining && !place.slots.isEmpty()) {
            spare.put(group, room);
          }
        });
    return spare;
  }

  /** Takes out the idle slots that the latest exchange asked work for and got none. */
  synchronized List<HeldSlot> takeUnclaimed() {
    return take(place -> place.draining ? place.idle() : place.idle() - place.freedSinceAsked);
  }

  /** Takes out the slots that are not worth asking work for: see the head of this class. */
  synchronized List<HeldSlot> takeHopeless(ToIntFunction<String> depthOfTask) {
    return take(
        place ->
            Math.max(
                place.draining || place.solitary(depthOfTask) ? place.idle() : 0,
                place.surplus(depthOfTask)));
  }

  /** Takes out every idle slot. */
  synchronized List<HeldSlot> takeIdle() {
    return take(Place::idle);
  }

  private List<HeldSlot> take(ToIntFunction<Place> unwantedIn) {
    List<HeldSlot> taken = new ArrayList<>();
    for (Iterator<Place> all = places.values().iterator(); all.hasNext(); ) {
      Place place = all.next();
      for (int unwanted = unwantedIn.applyAsInt(place); unwanted > 0; unwanted--) {
        taken.add(place.removeSlot());
      }
      // A group that has drained is as any other again.
      place.draining &= !place.slots.isEmpty();
      if (place.blank()) {
        all.remove();
      }
    }
    return taken;
  }

  /** Puts the store's word in place of what was believed about slots; what runs stays. */
  synchronized void replaceSlots(Collection<HeldSlot> slots, Set<String> draining) {
    for (Place place : places.values()) {
      place.slots.clear();
      place.draining = false;
    }
    add(slots);
    draining.forEach(group -> place(group).draining = true);
    places.values().removeIf(Place::blank);
  }

  /**
   * Moves a running job to other groups and slots: limits were set or lifted while it ran, or a
   * group whose slots were named came to lend them.
   */
  synchronized void move(Held from, Held to) {
    from.gates().forEach(group -> place(group).running--);
    to.gates().forEach(group -> place(group).running++);
    from.gates().forEach(this::forgetIfBlank);
    from.named().forEach(this::free);
    to.named().forEach(this::use);
  }

  synchronized boolean draining(String group) {
    Place place = places.get(group);
    return place != null && place.draining;
  }

  synchronized List<HeldSlot> all() {
    return places.values().stream().flatMap(place -> place.slots.stream()).toList();
  }

  synchronized int held(String group) {
    Place place = places.get(group);
    return place == null ? 0 : place.slots.size();
  }

  synchronized int running(String group) {
    Place place = places.get(group);
    return place == null ? 0 : place.running;
  }

  private Place place(String group) {
    return places.computeIfAbsent(group, name -> new Place());
  }

  private void forgetIfBlank(String group) {
    places.computeIfPresent(group, (name, place) -> place.blank() ? null : place);
  }
}
