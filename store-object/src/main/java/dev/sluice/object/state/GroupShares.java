package dev.sluice.object.state;

import dev.sluice.object.state.Asks.Ask;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * How the slots of a group are shared among the workers that hold some and those that ask for some,
 * as one of these workers has to know it.
 *
 * <p>A worker keeps its slots from job to job, so without a rule the first worker keeps all of them
 * for as long as there are jobs. The rule: of {@code n} slots and {@code k} workers that hold or
 * ask, each worker's share is {@code n / k}, rounded down. While a worker below its share asks,
 * another worker gets no job under a slot above its own share; it runs what it has and gives the
 * slot back when it finds no job for it. It gives up no more slots than the asking workers lack.
 * What is left over when {@code n} is not divisible stays where it is.
 *
 * <p>With more workers than slots, they take turns: a worker has one slot at most, and after {@link
 * #turn} it gets no more jobs under it while a worker without a slot asks. The worker that asked
 * first is next.
 *
 * <p>A slot that is left free is offered to all workers that ask and have less than their share,
 * and the first of them in line takes it. If none of these has come within {@link #KEPT} they may
 * have died: any worker may take the slot, and the asks are void, all of them at once. So however
 * many workers died that had asked, together they cost the group the slots they lack for that time.
 * Where the last free slot is taken in time, the offer is withdrawn, and those behind keep their
 * place in line.
 *
 * <p>Limits do not depend on any of this: a slot is taken only below the limit, whatever the
 * shares.
 */
final class GroupShares {
  /** With more workers than slots, each has had its turn after about this long. */
  static final long ROUND = Micros.of(Duration.ofSeconds(2));

  static final long SHORTEST_TURN = Micros.of(Duration.ofMillis(500));
  static final long LONGEST_TURN = Micros.of(Duration.ofSeconds(1));

  /** For how long slots are left free for workers that asked, or a job that was passed over. */
  static final long KEPT = Micros.of(Duration.ofSeconds(3));

  /** A worker that waits for its share looks at most, and at least, so often. */
  static final long SHORTEST_LOOK = Micros.of(Duration.ofMillis(20));

  static final long LONGEST_LOOK = Micros.of(Duration.ofSeconds(1));

  private final String worker;
  private final long now;
  private final int limit;
  private final Map<String, Integer> held = new HashMap<>();
  private final Map<String, Long> since = new HashMap<>();
  private final List<Ask> asks;
  private final int free;
  private final int share;
  private final int workers;

  GroupShares(ShardDraft draft, String group, int limit, String worker) {
    this.worker = worker;
    this.now = draft.now();
    int permits = 0;
    for (SlotHolder holder : draft.slotsOf(group).values()) {
      if (holder.permit() != null) {
        permits++;
      } else {
        held.merge(holder.worker(), 1, Integer::sum);
        since.merge(holder.worker(), holder.acquiredAt(), Math::min);
      }
    }
    this.limit = Math.max(0, limit - permits);
    this.asks =
        draft.asks().of(group).stream().filter(ask -> stands(ask.offeredAt(), now)).toList();
    this.free = Math.max(0, limit - draft.slotsOf(group).size());
    Set<String> all = new HashSet<>(held.keySet());
    asks.forEach(ask -> all.add(ask.worker()));
    all.add(worker);
    this.workers = all.size();
    this.share = this.limit / workers;
  }

  /** Whether what was offered then, or not yet, is still kept. */
  static boolean stands(long offeredAt, long now) {
    return offeredAt == 0 || now - offeredAt < KEPT;
  }

  /** For how long a worker goes on in a slot while others without one ask. */
  static long turn(int slots, int workers) {
    return Math.max(SHORTEST_TURN, Math.min(LONGEST_TURN, ROUND * slots / workers));
  }

  private long turn() {
    return turn(limit, workers);
  }

  /** How many slots this worker holds. */
  int mine() {
    return heldBy(worker);
  }

  private int heldBy(String id) {
    return held.getOrDefault(id, 0);
  }

  private boolean lacks(String id) {
    return heldBy(id) < Math.max(1, share);
  }

  /** The asks of other workers that have less than their share. */
  List<Ask> needy() {
    return asks.stream()
        .filter(ask -> !ask.worker().equals(worker) && lacks(ask.worker()))
        .toList();
  }

  /** Whether this worker has a reason to ask: it lacks slots that other workers have or are due. */
  boolean isWorthAsking() {
    boolean others = held.keySet().stream().anyMatch(id -> !id.equals(worker));
    return limit > 0 && lacks(worker) && (others || !needy().isEmpty());
  }

  /** How many slots this worker may have jobs under from now on. */
  int allowance() {
    List<Ask> needy = needy();
    int reachable = mine() + free;
    if (needy.isEmpty()) {
      return reachable;
    }
    boolean inTurns = share == 0;
    if (inTurns && mine() == 0) {
      int left = free - owed(ahead(needy));
      return Math.max(0, Math.min(1, left));
    }
    int own = inTurns ? (turnIsOver() ? 0 : 1) : share;
    return Math.max(Math.min(own, reachable), reachable - owed(needy));
  }

  /** Those who asked before this worker did. */
  private List<Ask> ahead(List<Ask> needy) {
    Optional<Ask> own = asks.stream().filter(ask -> ask.worker().equals(worker)).findFirst();
    return own.isEmpty()
        ? needy
        : needy.stream().filter(ask -> asks.indexOf(ask) < asks.indexOf(own.get())).toList();
  }

  private int owed(List<Ask> needy) {
    return needy.stream().mapToInt(ask -> Math.max(1, share) - heldBy(ask.worker())).sum();
  }

  private boolean turnIsOver() {
    return now - since.getOrDefault(worker, now) >= turn();
  }

  /**
   * How long until it is worth looking whether this worker gets what it asked for: when a turn
   * ends, and then at intervals that grow with the time it has waited since.
   */
  long lookIn(Ask own) {
    long due = own.since();
    if (share == 0) {
      int place = ahead(needy()).size();
      List<Long> ends = since.values().stream().map(at -> at + turn()).sorted().toList();
      due = Math.max(due, place < ends.size() ? ends.get(place) : now + turn());
    }
    return due > now ? bounded(due - now) : lookAfter(now - due);
  }

  /** How long until it is worth looking for what was due so long ago. */
  static long lookAfter(long waited) {
    return bounded(waited / 8);
  }

  private static long bounded(long look) {
    return Math.max(SHORTEST_LOOK, Math.min(LONGEST_LOOK, look));
  }
}
