package dev.sluice.object.state;

import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * What workers ask for and what is kept for jobs, of limited groups that have no room.
 *
 * <p>Nothing here is needed for a limit to hold: that is decided by counting slots alone. A state
 * without asks and reservations is as safe as one with them; only who gets the next slot differs.
 *
 * @param byGroup the workers that ask for slots of a group, the first to ask first
 * @param reservations jobs that slots are, or lately were, kept for; no two of them have a group in
 *     common
 */
public record Asks(Map<String, List<Ask>> byGroup, List<Reservation> reservations) {
  static final Asks NONE = new Asks(Map.of(), List.of());

  /**
   * A worker that has threads free and found a group full. It stands until the worker has its
   * share, has no more room or no more jobs for it, or loses its standing.
   *
   * @param worker the worker's id
   * @param since when it asked
   * @param offeredAt when a slot was first left free for it; 0 = not yet
   */
  public record Ask(String worker, long since, long offeredAt) {
    Ask offered(long now) {
      return new Ask(worker, since, now);
    }
  }

  /**
   * Slots that are kept for a waiting job: of each of these groups the next one that comes free.
   * They are kept {@code until} a time; then the groups rest: for {@link #rest} slots are kept
   * neither for this job nor for another that needs one of these groups.
   *
   * @param job where the job's record is
   * @param priority jobs of a higher priority pass it all the same
   * @param groups the groups, in the order of their names
   * @param worker the worker that has room for the job
   * @param since when it was made
   * @param offeredAt when all of the groups were first seen to have room; 0 = not yet
   * @param until when it ends, if the job has not started by then
   * @param times how many times slots were kept for the job, this one included
   */
  public record Reservation(
      JobPlace job,
      int priority,
      List<String> groups,
      String worker,
      long since,
      long offeredAt,
      long until,
      int times) {
    /** For how long slots are kept while not all of the groups have room. */
    static final long LONGEST = Micros.of(Duration.ofSeconds(10));

    static final long FIRST_REST = Micros.of(Duration.ofSeconds(15));
    static final long LONGEST_REST = Micros.of(Duration.ofSeconds(60));

    /** Whether slots are kept now. */
    boolean stands(long now) {
      return now < until;
    }

    /** Whether slots of its groups may be kept anew. */
    boolean isOver(long now) {
      return now >= until + rest();
    }

    private long rest() {
      return Math.min(LONGEST_REST, FIRST_REST << Math.min(times - 1, 2));
    }

    Reservation offered(long now) {
      return new Reservation(
          job, priority, groups, worker, since, now, now + GroupShares.KEPT, times);
    }

    Reservation ended(long now) {
      return new Reservation(job, priority, groups, worker, since, offeredAt, now, times);
    }
  }
}
