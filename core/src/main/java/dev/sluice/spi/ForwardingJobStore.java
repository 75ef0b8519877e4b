package dev.sluice.spi;

import dev.sluice.Submission;
import java.sql.Connection;
import java.util.List;
import java.util.Set;

/** A store that hands every call to another; for decorators, which override what they change. */
public abstract class ForwardingJobStore implements JobStore {
  private final JobStore store;

  /** Hands everything to this store. */
  protected ForwardingJobStore(JobStore store) {
    this.store = store;
  }

  @Override
  public Set<Capability> capabilities() {
    return store.capabilities();
  }

  @Override
  public List<Submission> submit(List<NewJob> jobs) {
    return store.submit(jobs);
  }

  @Override
  public List<Submission> submit(Connection transaction, List<NewJob> jobs) {
    return store.submit(transaction, jobs);
  }

  @Override
  public JobCatalog jobs() {
    return store.jobs();
  }

  @Override
  public RunStore runs() {
    return store.runs();
  }

  @Override
  public LimitStore limits() {
    return store.limits();
  }

  @Override
  public QueueStore queues() {
    return store.queues();
  }

  @Override
  public WorkerStore workers() {
    return store.workers();
  }

  @Override
  public ScheduleStore schedules() {
    return store.schedules();
  }

  @Override
  public WorkerSession openSession(WorkerRegistration registration) {
    return store.openSession(registration);
  }

  @Override
  public RecoveryReport recover() {
    return store.recover();
  }

  @Override
  public void close() {
    store.close();
  }
}
