package dev.sluice.embedded;

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

/** A store together with the server it lives on, which it leaves when it is closed. */
final class EmbeddedJobStore implements JobStore {

  private final JobStore store;
  private final EmbeddedPostgres postgres;

  EmbeddedJobStore(JobStore store, EmbeddedPostgres postgres) {
    this.store = store;
    this.postgres = postgres;
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
  public WorkerSession openSession(WorkerRegistration registration) {
    return store.openSession(registration);
  }

  @Override
  public RecoveryReport recover() {
    return store.recover();
  }

  @Override
  public void close() {
    // The server last: the store may still have something to write.
    try (postgres) {
      store.close();
    }
  }
}
