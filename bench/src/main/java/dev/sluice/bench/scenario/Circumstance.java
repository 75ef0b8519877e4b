package dev.sluice.bench.scenario;

import dev.sluice.Sluice;
import dev.sluice.bench.server.Endpoint;

/** Something that holds at a store while it is measured. */
interface Circumstance {
  /** Nothing in particular. */
  Circumstance NONE = (sluice, database) -> () -> {};

  /** Brings it about. */
  Undo arrange(Sluice sluice, Endpoint database) throws InterruptedException;

  /** Ends it. */
  interface Undo extends AutoCloseable {
    @Override
    void close();
  }
}
