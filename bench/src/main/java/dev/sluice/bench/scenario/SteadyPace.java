package dev.sluice.bench.scenario;

import dev.sluice.Sluice;
import dev.sluice.Task;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/**
 * A steady stream, in a batch every ten milliseconds. A job counts from the moment its batch was
 * due, so that a submit that came late hides nothing.
 *
 * @param batch how many jobs come at a time
 */
record SteadyPace(int batch) implements Pace {
  private static final long TICK = TimeUnit.MILLISECONDS.toNanos(10);

  /** So many jobs a second, or a little less. */
  static SteadyPace perSecond(double jobs) {
    return new SteadyPace((int) Math.max(1, jobs * TICK / TimeUnit.SECONDS.toNanos(1)));
  }

  @Override
  public int jobs(Plan plan) {
    return (int) Math.max(1, plan.leastNanos() / TICK) * batch;
  }

  @Override
  public void submit(Sluice sluice, Task<Integer> task, Arrivals arrivals)
      throws InterruptedException {
    long due = System.nanoTime();
    for (int from = 0; from < arrivals.jobs(); from += batch) {
      TimeUnit.NANOSECONDS.sleep(due - System.nanoTime());
      for (int job = from; job < from + batch; job++) {
        arrivals.sent(job, due);
      }
      sluice.submitAll(task, IntStream.range(from, from + batch)::iterator);
      due += TICK;
    }
  }
}
