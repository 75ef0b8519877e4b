package dev.sluice.spi;

import dev.sluice.Submission;
import java.sql.Connection;
import java.util.List;
import java.util.Set;

/**
 * Where jobs, limits and slots live: the seam between the runtime and a database or bucket.
 * Thread-safe.
 *
 * <p>A store is authoritative about everything that two processes could disagree on: which job is
 * whose, who holds which slot, what a limit is and what time it is. The contract is executable:
 * {@code store-tck} holds one suite that every store passes. All methods throw {@link
 * dev.sluice.StoreUnavailableException} when the store cannot be reached; the outcome of the call
 * is unknown then.
 */
public interface JobStore extends AutoCloseable {
  /** What this store can do beyond the contract. */
  Set<Capability> capabilities();

  /** Stores jobs, all in one transaction, and answers for each in order. */
  List<Submission> submit(List<NewJob> jobs);

  /**
   * Stores jobs in the transaction that is open on this connection: they exist if and when it
   * commits.
   *
   * @throws UnsupportedOperationException without {@link Capability#TRANSACTIONAL_SUBMIT}
   */
  List<Submission> submit(Connection transaction, List<NewJob> jobs);

  /** The jobs on record. */
  JobCatalog jobs();

  /** Runs of workflows. */
  RunStore runs();

  /** Limits, slots and permits. */
  LimitStore limits();

  /** Queues. */
  QueueStore queues();

  /** The workers on record. */
  WorkerStore workers();

  /** Schedules. */
  ScheduleStore schedules();

  /** Signs a worker on: its lease begins, and the limits its tasks declare are on record. */
  WorkerSession openSession(WorkerRegistration registration);

  /**
   * Frees what dead workers and expired permits held, and makes their jobs ready again. Safe to
   * call at any time by anyone.
   */
  RecoveryReport recover();

  @Override
  void close();
}
