package dev.sluice.bench.scenario;

import dev.sluice.bench.server.CpuTime;
import java.util.Optional;

/** What a round has measured so far, batch by batch. For one thread. */
final class Tally {
  private Batch total = Batch.NONE;
  private long submitted;
  private long submitNanos;
  private Optional<CpuTime> serverCpu = Optional.empty();

  /** Adds jobs that were submitted, and how long that took. */
  void submitted(int jobs, long nanos) {
    submitted += jobs;
    submitNanos += nanos;
  }

  /**
   * Adds a batch that was run.
   *
   * @param cpu what the server spent on it; empty if there is no server
   */
  void ran(Batch batch, Optional<CpuTime> cpu) {
    total = total.plus(batch);
    serverCpu = cpu.map(more -> serverCpu.map(more::plus).orElse(more));
  }

  /** How long batches took, in nanoseconds. */
  long nanos() {
    return total.nanos();
  }

  /** How many jobs were submitted. */
  long submitted() {
    return submitted;
  }

  /** The round, whose exchanges were these. */
  Round round(Exchanges exchanges) {
    return new Round(
        total,
        new Round.Submits(submitted, submitNanos),
        exchanges.claiming().drain(),
        exchanges.completing().drain(),
        serverCpu);
  }
}
