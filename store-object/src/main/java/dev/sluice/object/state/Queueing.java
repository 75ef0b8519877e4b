package dev.sluice.object.state;

import dev.sluice.object.state.Asks.Ask;
import dev.sluice.object.state.Asks.Reservation;
import dev.sluice.object.state.ClaimRoom.Blocked;
import dev.sluice.object.state.Waits.Front;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
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
 * <p><b>That has an end</b>, for the other groups may be busy for long: slots are kept for {@link
 * Reservation#LONGEST} at most while not all of the groups have room, and for {@link
 * GroupShares#KEPT} once they have, or when that worker has had no room for the job for so long.
 * Then the groups rest before slots of them are kept again: 15 seconds, then 30, then 60. The rest
 * stands in the state, so no other worker keeps slots meanwhile. Nothing is kept of a group while
 * another of the same job is held at a limit of 0. So a job that needs a group whose jobs are long
 * may miss several of its slots; the jobs of its other groups go on.
 */
final class Queueing {
  /** A job that was not seen first in line for so long starts anew. */
  private static final long FORGOTTEN = 2 * Micros.of(Waits.PASSED_OVER);

  /** A worker asks for no more groups than this: those it asks for, then those of the best jobs. */
  private static final int MOST_ASKS = 16;

  /** A worker has slots kept for no more jobs than this at once, those that rest included. */
  private static final int MOST_KEPT = 16;

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

  /** What is void or of no use any more, of groups that this claim came across. */
  private void dropVoid() {
    for (String group : room.full()) {
      for (Ask ask : asks.of(group)) {
        if (!GroupShares.stands(ask.offeredAt(), now)) {
          asks.remove(group, ask.worker());
        }
      }
      asks.keeping(group).filter(room::isHeld).ifPresent(kept -> asks.release(kept.job()));
    }
    if (draft.isChanged()) {
      asks.reservations().stream()
          .filter(kept -> kept.isOver(now - FORGOTTEN))
          .forEach(kept -> asks.release(kept.job()));
    }
  }

  private void ask(boolean unfilled) {
    room.taken().forEach(this::withdrawOffers);
    List<String> before = asks.groupsOf(worker);
    Set<String> wanted = new LinkedHashSet<>();
    if (unfilled) {
      // Those it asked for come first: it has a place in line there.
      Set<String> full = new LinkedHashSet<>(before);
      full.retainAll(room.full());
      full.addAll(room.full());
      full.stream()
          .filter(group -> room.shares(group).isWorthAsking())
          .limit(MOST_ASKS)
          .forEach(wanted::add);
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

  /** A slot was taken: its worker has come, and if it was the last, there is none to come for. */
  private void withdrawOffers(String group) {
    boolean all = room.free(group) <= 0;
    for (Ask ask : asks.of(group)) {
      if (!GroupShares.stands(ask.offeredAt(), now)) {
        asks.remove(group, ask.worker());
      } else if (ask.offeredAt() != 0 && (all || ask.worker().equals(worker))) {
        asks.put(group, ask.offered(0));
      }
    }
  }

  private void reserve() {
    waits.fronts().values().removeIf(front -> now - front.seen() > FORGOTTEN);
    for (Blocked blocked : room.blocked()) {
      JobPlace job = blocked.job().place();
      Front front = waits.fronts().merge(job, seen(blocked), Queueing::joined);
      Set<String> groups = toKeep(front.full());
      Optional<Reservation> before = asks.keepingFor(job);
      if (now - front.since() >= waits.patience()
          && !blocked.missing().containsAll(groups)
          && before.filter(kept -> !kept.isOver(now)).isEmpty()
          && groups.stream().allMatch(this::canBeKept)
          && asks.reservationsOf(worker).size() < MOST_KEPT) {
        asks.reserve(
            new Reservation(
                job,
                blocked.job().priority(),
                List.copyOf(groups),
                worker,
                now,
                0,
                now + Reservation.LONGEST,
                1 + before.map(Reservation::times).orElse(0)));
      }
    }
    for (Reservation kept : asks.reservationsOf(worker)) {
      Front front = waits.fronts().get(kept.job());
      if (kept.stands(now) && (front == null || now - front.seen() >= GroupShares.KEPT)) {
        asks.reserve(kept.ended(now));
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
    return room.limitOf(group) > 0
        && asks.keeping(group).filter(kept -> !kept.isOver(now)).isEmpty();
  }

  /** Takes down since when slots are free that this claim left to others. */
  private void offer() {
    for (String group : room.full()) {
      Optional<Reservation> kept = room.keeping(group);
      if (!asks.of(group).isEmpty() && room.free(group) > (kept.isPresent() ? 1 : 0)) {
        for (Ask ask : room.shares(group).needy()) {
          if (ask.offeredAt() == 0) {
            asks.put(group, ask.offered(now));
          }
        }
      }
      kept.filter(slots -> slots.offeredAt() == 0)
          .filter(slots -> slots.groups().stream().allMatch(kin -> room.free(kin) > 0))
          .ifPresent(slots -> asks.reserve(slots.offered(now)));
    }
  }

  private void lookAgain() {
    for (String group : asks.groupsOf(worker)) {
      Ask own = asks.of(group, worker).orElseThrow();
      waits.lookWithin(room.shares(group).lookIn(own));
    }
    for (Reservation kept : asks.reservationsOf(worker)) {
      if (kept.stands(now)) {
        waits.lookWithin(GroupShares.lookAfter(now - kept.since()));
      }
    }
  }
}
