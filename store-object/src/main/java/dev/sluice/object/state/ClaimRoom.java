package dev.sluice.object.state;

import dev.sluice.object.state.Asks.Reservation;
import dev.sluice.spi.Exchange.Demand;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The room that one claim of a worker finds in limited groups: under slots that the worker holds,
 * and in slots that it could take. What other workers ask for ({@link GroupShares}) and what is
 * kept for other jobs ({@link Asks.Reservation}) is taken off.
 */
final class ClaimRoom {
  /** A job as far as groups care. */
  record Entrant(JobPlace place, int priority, List<String> gates, int depth) {}

  /**
   * A job in several limited groups that was the first in line of those it lacked.
   *
   * @param missing which of its groups had no room
   */
  record Blocked(Entrant job, Set<String> missing) {}

  /** The room in one group, in jobs under slots that are held and in slots to be taken. */
  private static final class Room {
    int spare;
    int places;

    /** Slots held beyond what the worker may have jobs under. */
    int beyond;

    int usable(int depth) {
      return spare - beyond * (1 + depth);
    }
  }

  private final ShardDraft draft;
  private final String worker;
  private final Map<String, Integer> spare;
  private final Map<String, Integer> limits = new HashMap<>();
  private final Map<String, Room> rooms = new HashMap<>();
  private final Set<String> full = new LinkedHashSet<>();
  private final Set<String> taken = new LinkedHashSet<>();
  private final List<Blocked> blocked = new ArrayList<>();
  private List<String> latest;
  private List<String> latestLimited;

  ClaimRoom(ShardDraft draft, String worker, Demand demand) {
    this.draft = draft;
    this.worker = worker;
    this.spare = demand.spare();
  }

  /** The limit of a group, or -1. */
  int limitOf(String group) {
    return limits.computeIfAbsent(
        group, name -> Optional.ofNullable(LimitRules.find(draft, name)).orElse(-1));
  }

  /** Those of the groups that have a limit; the same for all jobs of a line. */
  List<String> limited(List<String> groups) {
    if (groups != latest) {
      latest = groups;
      latestLimited = groups.stream().filter(group -> limitOf(group) >= 0).toList();
    }
    return latestLimited;
  }

  /** Whether each of a job's groups has room; if not, takes down which has none. */
  boolean admits(Entrant job) {
    if (job.gates.stream().allMatch(gate -> hasRoom(gate, job))) {
      return true;
    }
    Set<String> missing = new LinkedHashSet<>(job.gates);
    missing.removeIf(gate -> hasRoom(gate, job));
    if (job.gates.size() > 1 && Collections.disjoint(full, missing)) {
      blocked.add(new Blocked(job, missing));
    }
    full.addAll(missing);
    return false;
  }

  /** Takes room for a job in a group that admits it; whether that has to be a new slot. */
  boolean takesNewSlot(String group, Entrant job) {
    Room room = room(group);
    if (hasRoomUnderHeld(group, job)) {
      room.spare--;
      return false;
    }
    room.places--;
    room.spare += job.depth;
    taken.add(group);
    return true;
  }

  private boolean hasRoom(String group, Entrant job) {
    return hasRoomUnderHeld(group, job) || hasRoomForNew(group, job);
  }

  private boolean hasRoomUnderHeld(String group, Entrant job) {
    Optional<Reservation> kept = keeping(group);
    if (isFor(kept, job)) {
      return room(group).spare > 0;
    }
    int usable = room(group).usable(job.depth);
    // With no slot free for the job that one is kept for, this worker would have to give one up.
    return usable > (binds(kept, job) && free(group) <= 0 ? 1 + job.depth : 0);
  }

  private boolean hasRoomForNew(String group, Entrant job) {
    Optional<Reservation> kept = keeping(group);
    if (isFor(kept, job)) {
      return free(group) > 0;
    }
    return room(group).places > 0 && free(group) > (binds(kept, job) ? 1 : 0);
  }

  private static boolean isFor(Optional<Reservation> kept, Entrant job) {
    return kept.isPresent() && kept.get().job().equals(job.place);
  }

  private static boolean binds(Optional<Reservation> kept, Entrant job) {
    return kept.isPresent() && kept.get().priority() >= job.priority;
  }

  /** What is kept of a group: nothing for a job of which another group is held. */
  Optional<Reservation> keeping(String group) {
    return draft.asks().keeping(group).filter(kept -> kept.stands(draft.now()) && !isHeld(kept));
  }

  /** Whether one of the groups that slots are kept of has no slots, or no limit any more. */
  boolean isHeld(Reservation kept) {
    return kept.groups().stream().anyMatch(group -> limitOf(group) <= 0);
  }

  private Room room(String group) {
    return rooms.computeIfAbsent(
        group,
        name -> {
          Room room = new Room();
          room.spare = spare.getOrDefault(name, 0);
          room.places = free(name);
          if (!draft.asks().of(name).isEmpty()) {
            GroupShares shares = shares(name);
            int change = shares.allowance() - shares.mine();
            room.places = Math.min(room.places, change);
            room.beyond = Math.max(0, -change);
          }
          return room;
        });
  }

  /** How the slots of a group are shared, as of now. */
  GroupShares shares(String group) {
    return new GroupShares(draft, group, limitOf(group), worker);
  }

  /** How many slots of a group are free. */
  int free(String group) {
    return limitOf(group) - draft.slotsOf(group).size();
  }

  /** The groups that were found to have no room for some job, as they were come across. */
  Set<String> full() {
    return full;
  }

  /** The groups in which new slots were taken. */
  Set<String> taken() {
    return taken;
  }

  /** The jobs that were next in line and lacked some of their groups. */
  List<Blocked> blocked() {
    return blocked;
  }
}
