package dev.sluice.bench.scenario;

import dev.sluice.Submission;
import dev.sluice.spi.Capability;
import dev.sluice.spi.JobCatalog;
import dev.sluice.spi.JobStore;
import dev.sluice.spi.LimitStore;
import dev.sluice.spi.NewJob;
import dev.sluice.spi.QueueStore;
import dev.sluice.spi.RecoveryReport;
import dev.sluice.spi.RunStore;
import dev.sluice.spi.WorkerRegistration;
import dev.sluice.spi.WorkerSession;
import java.sql.Connection;
import java.util.List;
import java.util.Set;

/** A store whose exchanges are timed. */
final class MeasuredJobStore implements JobStore {
  private final JobStore store;
  private final Exchanges exchanges;

  MeasuredJobStore(JobStore store, Exchanges exchanges) {
    this.store = store;
    this.exchanges = exchanges;
  }

  @Override
  public WorkerSession openSession(WorkerRegistration registration) {
    return new MeasuredWorkerSession(store.openSession(registration), exchanges);
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
  public RecoveryReport recover() {
    return store.recover();
  }

  @Override
  public void close() {
    store.close();
  }
}
