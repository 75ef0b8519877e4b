package dev.sluice.bench.scenario;

import dev.sluice.Permit;
import dev.sluice.Sluice;
import dev.sluice.Task;
import java.time.Duration;
import java.util.stream.IntStream;

/**
 * A task limited to 1 whose only slot is held by somebody else, with jobs that wait for it in front
 * of all others.
 *
 * @param waiting how many jobs wait
 */
record FullGroup(Task<Integer> task, int waiting) implements Circumstance {
  private static final int IN_FRONT = 10;

  @Override
  public Undo arrange(Sluice sluice, String url) throws InterruptedException {
    Permit permit = sluice.concurrency().acquire(task.group(), Duration.ofSeconds(10));
    sluice.submitAll(
        task, IntStream.range(0, waiting)::iterator, options -> options.priority(IN_FRONT));
    return permit::close;
  }
}
