package dev.sluice;

import java.time.Duration;

/** A running worker. Thread-safe. */
public interface Worker extends AutoCloseable {
  /** Its id at the moment; a worker that lost its lease goes on under a new one. */
  String id();

  /** Its name, which stays: what lists of workers and log lines show. */
  String name();

  /** How many handlers are at work. */
  int running();

  /**
   * Drains: claims nothing more, lets running handlers finish for up to {@code grace}, interrupts
   * the rest and hands their jobs back at once. Returns when that is done.
   *
   * @return whether every handler finished in time
   */
  boolean stop(Duration grace);

  /** {@link #stop} with the grace period given to the builder. */
  @Override
  void close();
}
