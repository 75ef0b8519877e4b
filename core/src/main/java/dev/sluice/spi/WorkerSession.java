package dev.sluice.spi;

import dev.sluice.Group;
import dev.sluice.LeaseLostException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * One worker's standing with the store, from signing on to signing off or losing its lease.
 *
 * <p>A worker holds <em>jobs</em> (claimed, started or still in its buffer) and <em>slots</em> of
 * limited groups, either lent to it or named by its jobs, all under one lease that {@link #renew}
 * extends. Of the jobs that run under lent slots of a group, the worker runs at most as many at
 * once as it holds such slots; which of them a job is on record in is the store's affair. Of the
 * jobs that name a slot, the worker runs one at a time. A lent slot is kept from job to job until
 * the worker gives it back; a named one is free when no claimed job names it. The store guarantees
 * that the slots of a group, lent and named, never exceed its limit (except while a lowered limit
 * drains); the worker guarantees that it never runs more jobs than these slots allow. Together that
 * is the limit.
 *
 * <p>When the lease is lost, every method throws {@link LeaseLostException}, nothing the worker
 * reports is accepted any more, and the session is of no further use: open another.
 *
 * <p>Tokens of claims and slots grow. Each that a session gives out is above all that it gave out
 * before, and above {@link WorkerRegistration#highestToken}, even if the store went back to an
 * earlier state meanwhile.
 *
 * <p>{@link #exchange} and {@link #reconcile} are called by one thread at a time; the other methods
 * by any thread.
 */
public interface WorkerSession extends AutoCloseable {
  /** The worker's id, unique to this session. */
  String workerId();

  /**
   * Everything a worker and the store have to tell each other, in one round trip: outcomes are
   * recorded, slots given back, and new jobs claimed together with the slots they need, in that
   * order.
   *
   * <p>If the call fails with {@link dev.sluice.StoreUnavailableException} it is unknown how much
   * of it happened: call {@link #reconcile} and then report the same outcomes again; those recorded
   * already are then not accepted twice.
   *
   * @throws dev.sluice.InvalidRequestException if something in it cannot be taken down, whenever it
   *     is sent; then nothing of it happened
   */
  Exchange.Answer exchange(Exchange exchange);

  /**
   * Lets the lease last the registered lease time, or {@code atLeast} if that is longer, from now
   * by the store's clock. What is left of a longer time that an earlier call was given is kept,
   * counted on this process's clock: so a lease that the store's clock makes longer than was asked
   * for, since that clock was set back, is as short as it should be after the next call.
   *
   * @return the jobs of this worker that users asked to stop
   */
  Set<UUID> renew(Duration atLeast);

  /**
   * Agrees anew on who holds what, after an exchange whose outcome is unknown or when {@link
   * Exchange.Answer#stale()} says that limits have changed. Every job the store has for this worker
   * that is not in {@code known} under the same token goes back in line, or is cancelled if it was
   * asked to stop. The answer replaces whatever the worker believed about its slots, lent or named.
   *
   * <p>The token is part of a claim's name. A lost answer may have handed a job back and claimed it
   * anew: the worker knows the job by its first token then, and nothing of the claim that the store
   * has on record.
   *
   * @param known the claims that run or whose outcome is not reported yet: token by job
   */
  Standing reconcile(Map<UUID, Long> known);

  /**
   * Says which limits the worker's tasks declare in code from now on, in place of those it was
   * registered with. Called by the thread that exchanges; when it returns they are on record, and
   * no claim is made under others.
   */
  void declare(Map<Group, Integer> limits);

  /**
   * Says which claims and slots the worker has, between two exchanges, so that an audit finds what
   * is on record for it besides. Changes nothing of it. A store in which that cannot be need not
   * look.
   *
   * @param claims token by job, of all jobs that run, are buffered or have an outcome to report
   * @param slots all slots lent to it, also those that it is about to give back
   */
  default void attest(Map<UUID, Long> claims, List<HeldSlot> slots) {}

  /**
   * Calls {@code wake} whenever there may be something to exchange: new work for the queues and
   * tasks of this worker, room in a group, a changed limit, a job to cancel. May be called too
   * often, never too seldom by more than the polling interval. A store without push calls it only
   * for what was done through the same open store.
   */
  void onWake(Runnable wake);

  /**
   * Puts what the worker has to tell operators on record, in place of what it published before; see
   * {@link WorkerStore.StoredWorker#bulletin}. Not kept beyond the session. A store that pays for
   * every write may put it off until the next renewal.
   */
  void publish(String bulletin);

  /**
   * Signs off: jobs and slots still held go back at once. Idempotent; throws nothing that matters
   * to the caller.
   */
  @Override
  void close();
}
