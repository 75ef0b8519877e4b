package dev.sluice.object;

import dev.sluice.spi.WorkerStore;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;

/** The workers on record: their leases say it all. */
final class ObjectWorkerStore implements WorkerStore {
  private final WorkerLeases leases;

  ObjectWorkerStore(WorkerLeases leases) {
    this.leases = leases;
  }

  @Override
  public List<StoredWorker> list() {
    List<LeaseObject> all = leases.all();
    Instant readAt = leases.now();
    return all.stream()
        .filter(lease -> !lease.fenced())
        .map(
            lease ->
                new StoredWorker(
                    lease.id(),
                    lease.registration(),
                    lease.term().startedAt(),
                    lease.term().expiresAt(),
                    readAt,
                    lease.bulletin()))
        .sorted(Comparator.comparing(StoredWorker::startedAt).thenComparing(StoredWorker::id))
        .toList();
  }
}
