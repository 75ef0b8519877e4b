package dev.sluice.bench.scenario;

import dev.sluice.Sluice;

/** Something that holds at a store while it is measured. */
interface Circumstance {
  /** Nothing in particular. */
  Circumstance NONE = (sluice, url) -> () -> {};

  /** Brings it about at the store of this URL. */
  Undo arrange(Sluice sluice, String url) throws InterruptedException;

  /** Ends it. */
  interface Undo extends AutoCloseable {
    @Override
    void close();
  }
}
