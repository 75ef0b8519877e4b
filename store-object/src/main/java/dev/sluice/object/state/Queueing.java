package dev.sluice.object.state;

import dev.sluice.object.state.Asks.Ask;
import dev.sluice.object.state.Asks.Reservation;
import dev.sluice.object.state.ClaimRoom.Blocked;
import dev.sluice.object.state.Waits.Front;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * What a claim leaves behind for what it did not get: the worker's asks, and slots kept for a job
 * that was passed over.
 *
 * <p><b>Asks</b> are part of commits that happen anyway. A worker that has nothing else to say
 * makes a commit for them when it first finds a group full, and no more often than once a second.
 * They are not renewed: an ask stands until it is met, withdrawn or void ({@link GroupShares}).
 *
 * <p><b>A job in several groups</b> can start only when all of them have room at once. While others
 * that need one of them take each slot as it comes free, that may never be. A worker that has room
 * for such a job, finds it first in line, and has seen it miss a free slot in one group for want of
 * another, keeps slots for it after {@link Waits#PASSED_OVER}: of each group in which it was found
 * wanting, the next that comes free. A task's own group is left out if one of the task's keyed
 * groups is kept, for a slot of a key comes free together with one of the task. A group is kept for
 * one job at a time and a job has all of its groups kept or none, so no two of them wait for each
 * other. The cost is one idle slot of each group at most, until each of the others has freed one.
 *
 * <p>Slots are no longer kept when that worker has had no room for the job for {@link
 * GroupShares#KEPT}, or when all of them have been free for so long and the job was not started.
 */
final class Queueing {
  /** A job that was not seen first in line for so long starts anew. */
  private static final long FORGOTTEN = 2 * Micros.of(Waits.PASSED_OVER);

  /** A worker asks for no more groups than this at once, those of the best jobs. */
  private static final int MOST_ASKS = 16;

  private final ShardDraft draft;
  private final OpenAsks asks;
  private final String worker;
  private final Waits waits;
  private final ClaimRoom room;
  private final long now;

  private Queueing(ShardDraft draft, String worker, Waits waits, ClaimRoom room) {
    this.draft = draft;
    this.asks = draft.asks();
    this.worker = worker;
    this.waits = waits;
    this.room = room;
    this.now = draft.now();
  }

  /**
   * Settles what a worker waits for.
   *
   * @param unfilled whether it could take on more than it got
   */
  static void settle(
      ShardDraft draft, String worker, Waits waits, ClaimRoom room, boolean unfilled) {
    Queueing queueing = new Queueing(draft, worker, waits, room);
    queueing.dropVoid();
    queueing.ask(unfilled);
    queueing.reserve();
    queueing.offer();
    queueing.lookAgain();
  }

  /**
   * Asks and reservations that were not taken up in time, of groups that this claim came across.
   */
  private void dropVoid() {
    for (String group : room.full()) {
      for (Ask ask : asks.of(group)) {
        if (!GroupShares.stands(ask.offeredAt(), now)) {
          asks.remove(group, ask.worker());
        }
      }
      asks.keeping(group)
          .filter(kept -> !GroupShares.stands(kept.offeredAt(), now))
          .ifPresent(
              kept -> {
                asks.release(kept.job());
                waits.fronts().remove(kept.job());
              });
    }
  }

  private void ask(boolean unfilled) {
    List<String> before = asks.groupsOf(worker);
    Set<String> wanted = new LinkedHashSet<>();
    if (unfilled) {
      room.full().stream()
          .filter(group -> room.shares(group).isWorthAsking())
          .limit(MOST_ASKS)
          .forEach(wanted::add);
    }
    for (String group : before) {
      asks.of(group, worker)
          .filter(own -> own.offeredAt() != 0 && room.taken().contains(group))
          .ifPresent(own -> asks.put(group, new Ask(worker, own.since(), 0)));
    }
    boolean same = wanted.containsAll(before) && wanted.size() == before.size();
    if (same || !(draft.isChanged() || waits.mayAsk())) {
      return;
    }
    waits.asked();
    before.stream().filter(g -> !wanted.contains(g)).forEach(g -> asks.remove(g, worker));
    wanted.removeAll(before);
    wanted.forEach(group -> asks.put(group, new Ask(worker, now, 0)));
  }

  private void reserve() {
    waits.fronts().values().removeIf(front -> now - front.seen() > FORGOTTEN);
    for (Blocked blocked : room.blocked()) {
      Front front = waits.fronts().merge(blocked.job().place(), seen(blocked), Queueing::joined);
      Set<String> groups = toKeep(front.full());
      if (now - front.since() >= waits.patience()
          && !blocked.missing().containsAll(groups)
          && groups.stream().allMatch(this::canBeKept)) {
        asks.reserve(
            new Reservation(
                blocked.job().place(),
                blocked.job().priority(),
                List.copyOf(groups),
                worker,
                now,
                0));
      }
    }
    for (Reservation kept : asks.reservations()) {
      Front front = waits.fronts().get(kept.job());
      if (kept.worker().equals(worker)
          && (front == null || now - front.seen() >= GroupShares.KEPT)) {
        asks.release(kept.job());
      }
    }
  }

  private Front seen(Blocked blocked) {
    return new Front(now, now, blocked.missing());
  }

  private static Front joined(Front before, Front latest) {
    Set<String> full = new TreeSet<>(before.full());
    full.addAll(latest.full());
    return new Front(before.since(), latest.seen(), full);
  }

  private static Set<String> toKeep(Set<String> full) {
    Set<String> groups = new TreeSet<>(full);
    for (String group : full) {
      if (LimitRules.isKeyed(group)) {
        groups.remove(LimitRules.plainOf(group));
      }
    }
    return groups;
  }

  private boolean canBeKept(String group) {
    return room.limitOf(group) > 0 && asks.keeping(group).isEmpty();
  }

  /** Takes down since when slots are free that this claim left to others. */
  private void offer() {
    for (String group : room.full()) {
      if (!asks.of(group).isEmpty() && room.free(group) > 0) {
        for (Ask ask : room.shares(group).offered()) {
          if (ask.offeredAt() == 0) {
            asks.put(group, ask.offered(now));
          }
        }
      }
      asks.keeping(group)
          .filter(kept -> kept.offeredAt() == 0)
          .filter(kept -> kept.groups().stream().allMatch(kin -> room.free(kin) > 0))
          .ifPresent(kept -> asks.reserve(kept.offered(now)));
    }
  }

  private void lookAgain() {
    for (String group : asks.groupsOf(worker)) {
      Ask own = asks.of(group, worker).orElseThrow();
      waits.lookWithin(room.shares(group).lookIn(own));
    }
    for (Reservation kept : asks.reservations()) {
      if (kept.worker().equals(worker)) {
        waits.lookWithin(GroupShares.lookAfter(now - kept.since()));
      }
    }
  }
}
