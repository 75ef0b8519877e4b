package dev.sluice.bench.scenario;

import dev.sluice.Sluice;
import dev.sluice.Task;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/** One job at a time, with pauses in which everything comes to rest. */
record IdlePace(Random random) implements Pace {
  private static final int SAMPLES = 200;
  private static final int SHORTEST_PAUSE_MILLIS = 30;
  private static final int LONGEST_PAUSE_MILLIS = 80;

  @Override
  public int jobs(Plan plan) {
    return plan.jobs(SAMPLES);
  }

  @Override
  public void submit(Sluice sluice, Task<Integer> task, Arrivals arrivals)
      throws InterruptedException {
    for (int job = 0; job < arrivals.jobs(); job++) {
      TimeUnit.MILLISECONDS.sleep(random.nextInt(SHORTEST_PAUSE_MILLIS, LONGEST_PAUSE_MILLIS));
      arrivals.sent(job, System.nanoTime());
      sluice.submit(task, job);
    }
  }
}
