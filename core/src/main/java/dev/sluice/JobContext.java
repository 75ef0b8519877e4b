package dev.sluice;

import java.time.Duration;
import java.util.UUID;

/** What a handler knows about the attempt it runs. Thread-safe. */
public interface JobContext {
  /** The job's id. */
  UUID jobId();

  /** The task's name. */
  String task();

  /** The worker's id. */
  String workerId();

  /** Which attempt this is; 1 = the first. */
  int attempt();

  /**
   * The token of this attempt: larger than that of every attempt at this job before it. Give it to
   * whatever stores the job's effects, and let that refuse a token smaller than the largest it has
   * seen for the job: a process that was frozen past its lease cannot be stopped by anyone else.
   */
  long fencingToken();

  /**
   * Whether the handler should stop: cancelled, timed out, lease lost or the worker's grace period
   * is over.
   */
  boolean cancelled();

  /**
   * How long the lease is sure to hold yet, by this process's monotonic clock: counted from the
   * moment the last renewal that succeeded was sent, less the runtime's margin. Zero when it is
   * lost. Within this time nobody else can have been given the job or its slots.
   */
  Duration leaseRemaining();

  /**
   * Throws if the handler should stop.
   *
   * @throws LeaseLostException if the lease is lost
   * @throws InterruptedException if it is to stop for another reason
   */
  void throwIfCancelled() throws InterruptedException;

  /**
   * Reports progress, for operators; stored with the next exchange, the latest wins, up to 1,000
   * characters.
   */
  void progress(String note);

  /**
   * Makes the worker's lease last at least this long from now, for a handler that is about to block
   * renewals (a long pause of the process is expected). The runtime renews by itself; forgetting
   * this breaks no limit.
   *
   * @throws LeaseLostException if the lease is lost
   */
  void extendLease(Duration atLeast);
}
