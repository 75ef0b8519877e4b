package dev.sluice.bench.scenario;

import dev.sluice.Sluice;
import dev.sluice.Task;

/** How jobs come in while their latency is measured. */
interface Pace {
  /** How many jobs a round takes. */
  int jobs(Plan plan);

  /** Submits all jobs that are awaited, and notes for each when it was due. */
  void submit(Sluice sluice, Task<Integer> task, Arrivals arrivals) throws InterruptedException;
}
