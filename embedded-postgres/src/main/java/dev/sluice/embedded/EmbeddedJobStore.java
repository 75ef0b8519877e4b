package dev.sluice.embedded;

import dev.sluice.spi.ForwardingJobStore;
import dev.sluice.spi.JobStore;

/** A store together with the server it lives on, which it leaves when it is closed. */
final class EmbeddedJobStore extends ForwardingJobStore {

  private final JobStore store;
  private final EmbeddedPostgres postgres;

  EmbeddedJobStore(JobStore store, EmbeddedPostgres postgres) {
    super(store);
    this.store = store;
    this.postgres = postgres;
  }

  @Override
  public void close() {
    // The server last: the store may still have something to write.
    try (postgres) {
      store.close();
    }
  }
}
