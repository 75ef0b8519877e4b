package dev.sluice.bench.scenario;

import dev.sluice.spi.ForwardingJobStore;
import dev.sluice.spi.JobStore;
import dev.sluice.spi.WorkerRegistration;
import dev.sluice.spi.WorkerSession;

/** A store whose exchanges are timed. */
final class MeasuredJobStore extends ForwardingJobStore {
  private final JobStore store;
  private final Exchanges exchanges;

  MeasuredJobStore(JobStore store, Exchanges exchanges) {
    super(store);
    this.store = store;
    this.exchanges = exchanges;
  }

  @Override
  public WorkerSession openSession(WorkerRegistration registration) {
    return new MeasuredWorkerSession(store.openSession(registration), exchanges);
  }
}
