package dev.sluice.internal;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import dev.sluice.JobContext;
import dev.sluice.LeaseLostException;
import dev.sluice.spi.ClaimedJob;
import dev.sluice.spi.Standing.Held;
import java.time.Duration;
import java.util.UUID;

/**
 * One attempt at a job, from the moment it is chosen to start until its handler has returned; also
 * what the handler knows of it.
 *
 * <p>The handler's thread goes on to other jobs, so it may be interrupted only between {@link
 * #begin} and {@link #end}, and {@link #end} wipes an interrupt that came too late to be noticed.
 * Both, and {@link #stop}, hold the attempt's monitor.
 */
final class Attempt implements JobContext {
  /** Why a handler is asked to stop. */
  enum Stop {
    CANCELLED,
    TIMED_OUT,
    HANDED_BACK,
    LEASE_LOST
  }

  private final ClaimedJob job;
  private final Tenure tenure;
  private final long declared;
  private volatile Stop stop;
  private volatile long startedAt;
  private Held held;
  private Thread thread;
  private boolean ended;

  /** {@code declared} is the version of the declarations on record when the job was claimed. */
  Attempt(ClaimedJob job, Tenure tenure, long declared) {
    this.job = job;
    this.tenure = tenure;
    this.declared = declared;
    this.held = job.bond().held();
  }

  ClaimedJob job() {
    return job;
  }

  Tenure tenure() {
    return tenure;
  }

  /** The version of the worker's declarations that was on record when the job was claimed. */
  long declared() {
    return declared;
  }

  /** The gates it runs behind and the slots it names; guarded by the tenure. */
  Held held() {
    return held;
  }

  /** Limits were set or lifted while it runs, or slots are lent now; guarded by the tenure. */
  void held(Held changed) {
    held = changed;
  }

  /** Called by the handler's thread just before the handler; false if it must not start. */
  synchronized boolean begin(long now) {
    startedAt = now;
    if (stop != null) {
      return false;
    }
    thread = Thread.currentThread();
    return true;
  }

  /** Called by the same thread just after the handler. */
  synchronized void end() {
    ended = true;
    thread = null;
    Thread.interrupted();
  }

  /** Asks the handler to stop. The first reason stands, except that a lost lease beats all. */
  synchronized void stop(Stop why) {
    if (ended) {
      return;
    }
    if (stop == null || why == Stop.LEASE_LOST) {
      stop = why;
    }
    // Also for a second reason: the first interrupt may have been swallowed.
    if (thread != null) {
      thread.interrupt();
    }
  }

  /** Why it was asked to stop; null if it was not. */
  Stop stopped() {
    return stop;
  }

  /** Stops the handler if it has run for longer than the job allows. */
  void stopIfTimedOut(long now) {
    Duration timeout = job.run().timeout().orElse(null);
    if (timeout == null) {
      return;
    }
    synchronized (this) {
      if (thread != null && stop == null && now - startedAt >= NANOSECONDS.convert(timeout)) {
        stop(Stop.TIMED_OUT);
      }
    }
  }

  /** For how long the handler has run, or ran. */
  Duration ranUntil(long now) {
    return Duration.ofNanos(Math.max(0, now - startedAt));
  }

  @Override
  public UUID jobId() {
    return job.id();
  }

  @Override
  public String task() {
    return job.task();
  }

  @Override
  public String workerId() {
    return tenure.workerId();
  }

  @Override
  public int attempt() {
    return job.run().attempt();
  }

  @Override
  public long fencingToken() {
    return job.token();
  }

  @Override
  public boolean cancelled() {
    // The lease is looked at as well: after a long pause this may run before the watchdog does.
    return stop != null || !tenure.holds();
  }

  @Override
  public Duration leaseRemaining() {
    return stop == Stop.LEASE_LOST ? Duration.ZERO : tenure.leaseRemaining();
  }

  @Override
  public void throwIfCancelled() throws InterruptedException {
    if (stop == Stop.LEASE_LOST || !tenure.holds()) {
      throw new LeaseLostException(
          "The lease of worker %s is lost; job %s must stop, another worker may run it already."
              .formatted(workerId(), jobId()));
    }
    if (stop != null) {
      throw new InterruptedException("Job " + jobId() + " is to stop: " + stop);
    }
  }

  @Override
  public void progress(String note) {
    tenure.progress(this, BoundedText.of(note, BoundedText.LONGEST_MESSAGE));
  }

  @Override
  public void extendLease(Duration atLeast) {
    tenure.renew(atLeast);
  }

  @Override
  public String toString() {
    return "attempt %d at job %s of task '%s'".formatted(attempt(), jobId(), task());
  }
}
