package dev.sluice.internal;

import dev.sluice.WorkerInfo;
import dev.sluice.Workers;
import dev.sluice.spi.JobStore;
import dev.sluice.spi.RecoveryReport;
import dev.sluice.spi.RecoveryReport.DeadWorker;
import dev.sluice.spi.WorkerStore.StoredWorker;
import java.util.List;
import java.util.stream.Collectors;

/** The workers on record, with their bulletins read. */
public final class StoredWorkers implements Workers {
  private final JobStore store;

  public StoredWorkers(JobStore store) {
    this.store = store;
  }

  @Override
  public List<WorkerInfo> list() {
    return store.workers().list().stream().map(StoredWorkers::info).toList();
  }

  @Override
  public Recovered recover() {
    RecoveryReport report = LeaseRescuer.logged(store.recover());
    return new Recovered(
        report.deadWorkers().stream().map(DeadWorker::id).collect(Collectors.toSet()),
        report.requeuedJobs(),
        report.freedSlots().values().stream().mapToInt(Integer::intValue).sum());
  }

  private static WorkerInfo info(StoredWorker worker) {
    return new WorkerInfo(
        worker.id(),
        worker.name(),
        worker.queues(),
        worker.tasks(),
        new WorkerInfo.Lease(
            worker.startedAt(), worker.expiresAt(), worker.readAt(), worker.lease()),
        worker.bulletin().flatMap(BulletinJson::read));
  }
}
