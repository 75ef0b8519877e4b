package dev.sluice.bench.scenario;

/**
 * How long the exchanges of some workers took, as seen by the workers.
 *
 * @param claiming those that brought jobs
 * @param completing those that reported outcomes and brought none
 */
record Exchanges(Samples claiming, Samples completing) {
  Exchanges() {
    this(new Samples(), new Samples());
  }

  /** Forgets what was seen so far. */
  void drain() {
    claiming.drain();
    completing.drain();
  }
}
