package dev.sluice.bench.peers;

import dev.sluice.bench.server.Endpoint;

/** A system that can be measured. */
interface Contender {
  /** Who it is. */
  Profile profile();

  /**
   * Gets what it needs besides the database, before anything is measured.
   *
   * @throws PeerUnavailableException if that is not to be had
   */
  default void prepare() {}

  /**
   * Submits the jobs of a workload, then starts its workers, and returns when all have run and
   * everything it started is gone again. Stops early when interrupted.
   *
   * @param database empty, and its own
   */
  Timing run(Endpoint database, Workload workload) throws Exception;
}
