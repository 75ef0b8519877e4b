package dev.sluice.spi;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/**
 * What a worker tells the store in one round trip.
 *
 * @param outcomes attempts that ended, and claimed jobs handed back
 * @param started jobs from the buffer whose handler has started since they were claimed, by id
 * @param progress the latest progress notes, by job
 * @param released lent slots given back
 * @param demand what the worker could take on; nothing = {@link Demand#NONE}
 */
public record Exchange(
    List<JobOutcome> outcomes,
    Set<UUID> started,
    Map<UUID, String> progress,
    List<HeldSlot> released,
    Demand demand) {

  /**
   * What a worker could take on.
   *
   * @param jobs how many jobs at most, of all tasks together
   * @param tasks how many of which task; tasks without room are left out
   * @param spare of groups it was lent slots of: how many more jobs it can take under those slots,
   *     by group. For every job beyond that the store takes new slots, each good for {@code 1 +
   *     depth} jobs of the task
   */
  public record Demand(int jobs, List<TaskDemand> tasks, Map<String, Integer> spare) {
    /** Nothing, thank you. */
    public static final Demand NONE = new Demand(0, List.of(), Map.of());
  }

  /**
   * How many jobs of a task a worker could take on.
   *
   * @param task the task
   * @param room how many jobs at most
   * @param depth how many jobs to buffer behind each slot. 0 also says that every job of the task
   *     will start the moment it is received, so the store counts the attempt as started with the
   *     claim
   */
  public record TaskDemand(String task, int room, int depth) {}

  /**
   * What the store answers.
   *
   * @param accepted the outcomes that were recorded; those neither accepted nor deferred came too
   *     late and changed nothing
   * @param cancelled which of the accepted outcomes were recorded as cancelled, whatever they said:
   *     somebody had asked the job to stop, and it would have been tried again or was handed back
   * @param deferred outcomes that could not be recorded yet, because the part of the store that has
   *     these jobs is in trouble while the rest works: to be sent again with a later exchange
   * @param jobs the jobs claimed, best first
   * @param slots the slots newly lent to the worker
   * @param stale limits have changed since the last {@link WorkerSession#reconcile}: nothing was
   *     claimed; reconcile
   * @param nextDue how long until it is worth asking again, if the store knows: zero = at once,
   *     there is more to find, or something left to do that another was in the way of; else, if
   *     less was claimed than asked for, when the next scheduled job of any queue is due
   * @param full limited groups that kept due jobs from this worker, which it had asked for: there
   *     was no slot. Said when the claim comes across it, and else once a second or so as long as
   *     claims find less than asked for; may be said again with every exchange while it is so
   */
  public record Answer(
      Set<UUID> accepted,
      Set<UUID> cancelled,
      Set<UUID> deferred,
      List<ClaimedJob> jobs,
      List<HeldSlot> slots,
      boolean stale,
      Optional<Duration> nextDue,
      Set<String> full) {
    /** An answer that recorded every outcome as it was told. */
    public Answer(
        Set<UUID> accepted,
        List<ClaimedJob> jobs,
        List<HeldSlot> slots,
        boolean stale,
        Optional<Duration> nextDue,
        Set<String> full) {
      this(accepted, Set.of(), Set.of(), jobs, slots, stale, nextDue, full);
    }
  }
}
