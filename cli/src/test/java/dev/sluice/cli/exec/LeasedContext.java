package dev.sluice.cli.exec;

import dev.sluice.JobContext;
import dev.sluice.LeaseLostException;
import java.time.Duration;
import java.util.UUID;

/**
 * The context of a job whose lease lasts a given time and is renewed only when the test says so.
 */
final class LeasedContext implements JobContext {
  private final UUID id = UUID.randomUUID();
  private volatile long deadline;
  volatile boolean cancelled;

  LeasedContext(Duration lease) {
    renew(lease);
  }

  void renew(Duration lease) {
    deadline = System.nanoTime() + lease.toNanos();
  }

  @Override
  public UUID jobId() {
    return id;
  }

  @Override
  public String task() {
    return "grüße/🚀";
  }

  @Override
  public String workerId() {
    return "worker";
  }

  @Override
  public int attempt() {
    return 2;
  }

  @Override
  public long fencingToken() {
    return 7;
  }

  @Override
  public boolean cancelled() {
    return cancelled;
  }

  @Override
  public Duration leaseRemaining() {
    return Duration.ofNanos(Math.max(0, deadline - System.nanoTime()));
  }

  @Override
  public void throwIfCancelled() throws InterruptedException {
    if (leaseRemaining().isZero()) {
      throw new LeaseLostException("The lease is lost.");
    } else if (cancelled) {
      throw new InterruptedException("cancelled");
    }
  }

  @Override
  public void progress(String note) {}

  @Override
  public void extendLease(Duration atLeast) {}
}
